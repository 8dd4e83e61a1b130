import { errorFacts, messageOf } from '../../lib/error-facts.ts';

// SQLSTATE classes: 08 connection exception, 53 insufficient resources, 57P01 to 57P03 server stops or starts, 57014
// statement timeout, 55P03 lock timeout, 25006 read-only standby, 40 transaction conflicts.
const sqlStates = /^(08...|53...|57P0[123]|57014|55P03|25006|40001|40P01)$/;
const systemCalls = new Set(['connect', 'getaddrinfo', 'read', 'write']);
const driverWords =
  /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Client (has encountered a connection error|was closed))/;

/** The database is running but cannot serve this request at the moment. */
export class DatabaseBusy extends Error {}

/** A statement was ended because of its time limit. */
export class StatementTimeout extends DatabaseBusy {}

export const isTimeout = (error: unknown): boolean =>
  error instanceof StatementTimeout || errorFacts(error).code === '57014';

/** Whether another connection holds a lock of the SQLite file. */
export function isLocked(error: unknown): boolean {
  const { code, errcode } = errorFacts(error);
  return code === 'ERR_SQLITE_ERROR' && (Number(errcode) & 0xff) === 5;
}

/** Nothing can be stored until there is room on the disk. */
export class DiskFull extends DatabaseBusy {
  constructor(cause: unknown) {
    super('the disk that holds the database is full', { cause });
  }
}

/** Whether SQLite could not write because the disk is full or refuses to grow the file. */
export function isOutOfRoom(error: unknown): boolean {
  // Errors of node:sqlite have these members.
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return code === 'ERR_SQLITE_ERROR' && outOfRoomCodes.has(Number(errcode));
}

/** Full, I/O error on write. */
const outOfRoomCodes = new Set([13, 778]);

/**
 * Whether a statement failed because the database is unreachable, busy or full, not because of the statement itself.
 */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof DatabaseBusy) return true;
  if (error instanceof AggregateError) return error.errors.some(isUnreachable);
  const { code, errcode, syscall } = errorFacts(error);
  if (code === 'ERR_SQLITE_ERROR') return sqliteCodes.has(Number(errcode) & 0xff);
  if (typeof syscall === 'string') return systemCalls.has(syscall);
  return (typeof code === 'string' && sqlStates.test(code)) || driverWords.test(error.message);
}

// SQLSTATE: 28 invalid authorization, 3D000 no such database, 42501 insufficient privilege.
const refusals = /^(28...|3D000|42501)$/;
const refusingWords = /^(SASL: |The server does not support SSL)/;

/** Whether PostgreSQL does not let us in, or not do what we must. */
export function isRefusal(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isRefusal);
  const { code } = errorFacts(error);
  return (typeof code === 'string' && refusals.test(code)) || refusingWords.test(messageOf(error));
}

/** Whether the database accepts no further connection. PgBouncer reports this only in words. */
export function isFull(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isFull);
  const { code } = errorFacts(error);
  const message = messageOf(error);
  return code === '53300' || /no more connections allowed/.test(message ?? '');
}

/** Whether a transaction failed only because of concurrent ones, so that a retry succeeds. */
export function isConflict(error: unknown): boolean {
  const { code } = errorFacts(error);
  return code === '40001' || code === '40P01';
}

/** Busy, I/O error, full, cannot open. */
const sqliteCodes = new Set([5, 10, 13, 14]);

/** Whether SQLite reports that its file is corrupt or not a database. */
export function isDamaged(error: unknown): boolean {
  const { code, errcode } = errorFacts(error);
  return code === 'ERR_SQLITE_ERROR' && damagedCodes.has(Number(errcode) & 0xff);
}

/** Corrupt, not a database. */
const damagedCodes = new Set([11, 26]);
