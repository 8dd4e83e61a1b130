import { quiet } from './jobs.ts';
import type { TestServer } from './server.ts';

/** The statements that something sends to the database; those of jobs, which come by themselves, are left out. */
export async function statementsOf(server: TestServer, work: () => Promise<unknown>): Promise<string[]> {
  await quiet(server);
  const statements: string[] = [];
  const stop = server.world.db.onStatement(({ sql }) => {
    if (!/\bjobs\b/.test(sql)) statements.push(sql);
  });
  try {
    await work();
  } finally {
    stop();
  }
  return statements;
}
