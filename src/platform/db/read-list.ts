import { Problem } from '../../lib/problem.ts';
import type { Database, Query } from './database.ts';
import { isTimeout } from './unreachable.ts';

/**
 * Runs a read on which no decision depends (a list, a search, a chart, an export), on SQLite in a thread. If a
 * statement takes too long, the caller can add filters.
 */
export async function readList<T>(db: Database, work: (query: Query) => Promise<T>): Promise<T> {
  try {
    return await (db.readList ? db.readList(work) : work(db.read));
  } catch (error) {
    if (isTimeout(error)) throw new Problem('unavailable', tooSlow);
    throw error;
  }
}

const tooSlow = 'This takes too long. Narrow it down with filters, a shorter period or a longer search term.';
