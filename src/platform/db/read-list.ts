import type { Database, ListReading, Query } from './database.ts';

/** Runs a read that decides nothing (a list, a chart, an export), on a replica if there is one, and on SQLite out of the way of others. It may run twice. */
export const readList = <T>(
  db: Database,
  work: (query: Query) => Promise<T>,
  reading: ListReading = { isQuick: false },
): Promise<T> => (db.readList ? db.readList(work, reading) : work(db.read));

/** Runs the read of one object, on SQLite out of the way of others if it nests many. */
export const readObject = <T>(
  db: Database,
  work: (query: Query) => Promise<T>,
  isLight: () => Promise<boolean>,
): Promise<T> => (db.readObject ? db.readObject(work, { isQuick: true, isLight }) : work(db.read));
