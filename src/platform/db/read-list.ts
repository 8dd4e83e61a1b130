import type { Database, ListReading, Query } from './database.ts';

/** Runs a read that decides nothing (a list, a chart, an export), on SQLite out of the way of others. */
export const readList = <T>(
  db: Database,
  work: (query: Query) => Promise<T>,
  reading: ListReading = { isQuick: false },
): Promise<T> => (db.readList ? db.readList(work, reading) : work(db.read));

/** Runs the read of one object, on SQLite out of the way of others if such a read has taken long lately. */
export const readObject = <T>(db: Database, work: (query: Query) => Promise<T>, subject: object): Promise<T> =>
  db.readObject ? db.readObject(work, { isQuick: true, subject }) : work(db.read);
