import type { Database, Query } from './database.ts';

/** Runs a read that decides nothing (a list, a chart, an export), on a replica if there is one. It may run twice. */
export const readList = <T>(db: Database, work: (query: Query) => Promise<T>): Promise<T> =>
  db.readList ? db.readList(work) : work(db.read);
