import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api } from '../support/api.ts';
import { hasPostgres, startServer, type TestServer } from '../support/server.ts';

describe.skipIf(!hasPostgres)('two instances on one PostgreSQL', () => {
  let first: TestServer;
  let second: TestServer;
  beforeAll(async () => {
    first = await startServer('postgres');
    second = await startServer('postgres', { env: { DATABASE_URL: first.world.config.databaseUrl ?? '' } });
  });
  afterAll(async () => {
    await second.close();
    await first.close();
  });

  /** Asks both, until both refuse: how many were let through. */
  async function exhaust(atOnce: number, ask: (api: Api) => Promise<{ status: number }>): Promise<number> {
    let passed = 0;
    for (let isOver = false; !isOver && passed < 4_000; ) {
      const answers = await Promise.all(
        Array.from({ length: atOnce }, (_, number) => ask((number % 2 ? first : second).nobody)),
      );
      const refused = answers.filter(({ status }) => status === 429).length;
      passed += answers.length - refused;
      isOver = refused === answers.length;
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    return passed;
  }

  test('count anonymous calls together', { timeout: 60_000 }, async () => {
    const passed = await exhaust(40, (api) => api.get('/core/groups/'));
    // Each knows within a second of what the other has counted.
    expect(passed).toBeGreaterThan(900);
    expect(passed).toBeLessThan(1_700);
  });

  test('count failures of clients together', { timeout: 60_000 }, async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = 'grant_type=client_credentials&client_id=nobody&client_secret=guessed';
    const ask = async (api: Api) => api.send('POST', '/application/o/token/', body, headers);
    expect(await exhaust(4, ask)).toBeLessThan(180);
  });
});
