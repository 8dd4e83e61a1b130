// Classes of SQLSTATE: 08 connection exception, 53 insufficient resources, 57P01 to 57P03 the server stops or starts.
const sqlStates = /^(08...|53...|57P0[123])$/;
const systemCalls = new Set(['connect', 'getaddrinfo', 'read', 'write']);
const driverWords =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/** Whether a statement failed because the database is away or out of room, and not because of the statement. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.some(isUnreachable);
  const { code, errcode, syscall } = error as { code?: unknown; errcode?: unknown; syscall?: unknown };
  if (code === 'ERR_SQLITE_ERROR') return sqliteCodes.has(Number(errcode) & 0xff);
  if (typeof syscall === 'string') return systemCalls.has(syscall);
  return (typeof code === 'string' && sqlStates.test(code)) || driverWords.test(error.message);
}

/** Busy, input/output error, full, cannot open. */
const sqliteCodes = new Set([5, 10, 13, 14]);

/** Whether SQLite says that its file is none of its own, or no longer whole. */
export function isDamaged(error: unknown): boolean {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return code === 'ERR_SQLITE_ERROR' && damagedCodes.has(Number(errcode) & 0xff);
}

/** Corrupt, not a database. */
const damagedCodes = new Set([11, 26]);
