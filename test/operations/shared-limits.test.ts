import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { strangerLimits } from '../../src/app/stranger-rows.ts';
import type { Api } from '../support/api.ts';
import { makeRelying } from '../support/oauth2.ts';
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

  test('share the rate limit on anonymous calls', async () => {
    const passed = await exhaust(40, (api) => api.get('/core/groups/'));
    // Each knows within a second of what the other has counted.
    expect(passed).toBeGreaterThan(900);
    expect(passed).toBeLessThan(1_700);
  });

  test('share the limit on failed client authentications', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = 'grant_type=client_credentials&client_id=nobody&client_secret=guessed';
    const ask = async (api: Api) => api.send('POST', '/application/o/token/', body, headers);
    expect(await exhaust(4, ask)).toBeLessThan(180);
  });

  test('share the limit on rows that anonymous callers create', async () => {
    const stranger = { actor: null, request: { clientIp: '203.0.113.9', method: 'POST' } } as never;
    const { ofNetwork } = strangerLimits.oauth2_requests as { ofNetwork: number };
    let admitted = 0;
    for (let round = 0; round < 40; round++) {
      for (const { app } of [first, second]) {
        for (let n = 0; n < ofNetwork / 20; n++)
          if (await app.resourceWorld.admit('oauth2_requests', stranger)) admitted += 1;
      }
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    expect(admitted).toBeGreaterThanOrEqual(ofNetwork);
    expect(admitted).toBeLessThan(ofNetwork * 1.9);
  });

  test('share the limit on recorded configuration errors', async () => {
    const { provider } = await makeRelying(first);
    const ask = async (server: TestServer) => {
      const query = new URLSearchParams({
        client_id: provider.client_id,
        redirect_uri: 'https://elsewhere.example/',
        response_type: 'code',
      });
      expect((await server.nobody.send('GET', `/application/o/authorize/?${query}`)).status).toBe(400);
    };
    const count = async () =>
      (await first.admin.get('/events/events/?action=configuration_error')).body.pagination.count as number;
    for (let n = 0; n < 5; n++) await ask(first);
    expect(await count()).toBe(5);
    await expect
      .poll(
        async () => {
          const before = await count();
          await ask(second);
          return (await count()) - before;
        },
        { timeout: 20_000, interval: 1_200 },
      )
      .toBe(0);
    expect(await count()).toBeLessThan(10);
  });
});
