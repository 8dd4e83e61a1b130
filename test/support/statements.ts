import { quiet } from './jobs.ts';
import type { TestServer } from './server.ts';

/** Jobs and stamps of caches come by themselves, as do the beginning and the end of transactions. */
const besides = /\bjobs\b|from stamps|^(begin|commit|rollback)|pg_advisory_xact_lock|pg_notify/;

/** The statements that reading something sends to the database. */
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
