import { errorFacts, messageOf } from '../../lib/error-facts.ts';

// Classes of SQLSTATE: 08 connection exception, 53 insufficient resources, 57P01 to 57P03 the server stops or starts, 57014 a statement
// and 55P03 a lock took too long, 25006 a standby takes no writes, 40 transactions that could not go on side by side.
const sqlStates = /^(08...|53...|57P0[123]|57014|55P03|25006|40001|40P01)$/;
const systemCalls = new Set(['connect', 'getaddrinfo', 'read', 'write']);
const driverWords = /^(Connection terminated|timeout expired|Client (has encountered a connection error|was closed))/;

/** The database is there, and cannot be used for this at the moment. */
export class DatabaseBusy extends Error {}

/** Nothing can be stored until somebody makes room. */
export class DiskFull extends DatabaseBusy {
  constructor(cause: unknown) {
    super('the disk that holds the database is full', { cause });
  }
}

/** Whether SQLite could not write: the disk is full, or takes no more of this file. */
export function isOutOfRoom(error: unknown): boolean {
  // Errors of node:sqlite have these members.
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return code === 'ERR_SQLITE_ERROR' && outOfRoomCodes.has(Number(errcode));
}

/** Full, an input/output error while writing. */
const outOfRoomCodes = new Set([13, 778]);

/** Whether a statement failed because the database is away, busy or out of room, and not because of the statement. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof DatabaseBusy) return true;
  if (error instanceof AggregateError) return error.errors.some(isUnreachable);
  const { code, errcode, syscall } = errorFacts(error);
  if (code === 'ERR_SQLITE_ERROR') return sqliteCodes.has(Number(errcode) & 0xff);
  if (typeof syscall === 'string') return systemCalls.has(syscall);
  return (typeof code === 'string' && sqlStates.test(code)) || driverWords.test(error.message);
}

/** Whether the database takes no further connection. PgBouncer says so in words. */
export function isFull(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isFull);
  const { code } = errorFacts(error);
  const message = messageOf(error);
  return code === '53300' || /no more connections allowed/.test(message ?? '');
}

/** Whether a transaction failed only because of others at the same time: done over, it goes through. */
export function isConflict(error: unknown): boolean {
  const { code } = errorFacts(error);
  return code === '40001' || code === '40P01';
}

/** Busy, input/output error, full, cannot open. */
const sqliteCodes = new Set([5, 10, 13, 14]);

/** Whether SQLite says that its file is none of its own, or no longer whole. */
export function isDamaged(error: unknown): boolean {
  const { code, errcode } = errorFacts(error);
  return code === 'ERR_SQLITE_ERROR' && damagedCodes.has(Number(errcode) & 0xff);
}

/** Corrupt, not a database. */
const damagedCodes = new Set([11, 26]);
