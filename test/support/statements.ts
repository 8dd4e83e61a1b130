import { quiet } from './jobs.ts';
import type { TestServer } from './server.ts';

/** Statements of the job worker, of cache stamps and of transactions, which may come at any time. */
const besides =
  /\bjobs\b|from unmatched_events limit|from stamps|^(begin|commit|rollback)|pg_advisory_xact_lock|pg_notify/;

/** The statements that a read sends to the database. */
export async function statementsOf(server: TestServer, work: () => Promise<unknown>): Promise<string[]> {
  await quiet(server);
  const statements: string[] = [];
  const stop = server.world.db.onStatement(({ sql }) => {
    if (!besides.test(sql)) statements.push(sql);
  });
  try {
    await work();
  } finally {
    stop();
  }
  return statements;
}
