import type { Database, Query } from '../../platform/db/database.ts';
import type { JobKind } from '../../platform/jobs/job.ts';
import type { Registry } from '../../resource/resource.ts';

/** A search can scan this many rows without noticeable delay. */
const fewRows = 500;
/** A batch must not block other writers for long. */
const rowsAtATime = 1_000;

interface Needs {
  readonly db: Database;
  registry(): Registry;
}

/** Adds new rows to the search indexes that are not updated by triggers. */
export function searchIndexJob({ db, registry }: Needs): JobKind {
  return {
    name: 'fill_search_indexes',
    summary: 'Bring new rows into the indexes for searching.',
    oneAtATime: true,
    deleteWhenDone: true,
    async hasWork(query) {
      for (const { table } of indexed(registry())) if ((await behind(db, query, table)) > fewRows) return true;
      return false;
    },
    async run() {
      await fillSearchIndexes(db, registry());
      return undefined;
    },
  };
}

export async function fillSearchIndexes(db: Database, registry: Registry): Promise<void> {
  const { lateIndex } = db.dialect;
  if (!lateIndex) return;
  for (const { table, columns } of indexed(registry)) {
    while ((await behind(db, db.read, table)) > 0) {
      await db.write((tx) => lateIndex.fill(table, columns, rowsAtATime).execute(tx), { durable: false });
    }
  }
}

async function behind({ dialect }: Database, query: Query, table: string): Promise<number> {
  const found = await dialect.lateIndex?.behind(table).execute(query);
  return found?.rows[0]?.rows ?? 0;
}

const indexed = ({ resources }: Registry) =>
  resources.flatMap(({ rootTable, search = [], hasSearchIndex }) =>
    hasSearchIndex ? [{ table: rootTable, columns: search }] : [],
  );
