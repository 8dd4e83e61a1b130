import { quiet } from './jobs.ts';
import type { TestServer } from './server.ts';

/** What comes by itself: jobs, the beginning and the end of transactions. */
export const ofItself =
  /\bjobs\b|^select 1( as \w+)? from \w+ limit 1|^(begin|commit|rollback)|pg_advisory_xact_lock|pg_notify|gin_clean_pending_list|^set local lock_timeout/;
const ofItselfOrCaches = new RegExp(`${ofItself.source}|^select value from stamps`);

/** The statements that some work sends to the database. */
export async function statementsOf(
  server: TestServer,
  work: () => Promise<unknown>,
  besides = ofItselfOrCaches,
): Promise<string[]> {
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
