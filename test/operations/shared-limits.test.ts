import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anonymousLimitsOf } from '../../src/app/anonymous-limits.ts';
import { type Api, apiFor } from '../support/api.ts';
import { makeRelying } from '../support/oauth2.ts';
import { hasPostgres, startServer, type TestServer } from '../support/server.ts';

describe.skipIf(!hasPostgres)('two instances on one PostgreSQL', () => {
  let first: TestServer;
  let second: TestServer;
  beforeAll(async () => {
    const env = { GATEHOUSE_TRUSTED_PROXIES: '127.0.0.1' };
    first = await startServer('postgres', { env });
    second = await startServer('postgres', { env: { ...env, DATABASE_URL: first.world.config.databaseUrl ?? '' } });
  });
  afterAll(async () => {
    await second.close();
    await first.close();
  });

  /** No user has used up anything from there. */
  const newAddress = () => `198.18.${randomInt(256)}.${randomInt(256)}`;

  /** Asks both from one address, until both refuse: how many were let through. */
  async function exhaust(atOnce: number, ask: (api: Api) => Promise<{ status: number }>): Promise<number> {
    const headers = { 'x-forwarded-for': newAddress() };
    const apis = [second, first].map(({ url }) => apiFor(url, headers));
    let passed = 0;
    for (let isOver = false; !isOver && passed < 4_000; ) {
      const answers = await Promise.all(Array.from({ length: atOnce / 2 }, () => apis.map(ask)).flat());
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
    const stranger = { actor: null, request: { clientIp: newAddress(), method: 'POST' } } as never;
    const { ofNetwork } = anonymousLimitsOf(first.app.kinds.all).oauth2_requests as { ofNetwork: number };
    let admitted = 0;
    for (let before = -1; admitted > before; ) {
      before = admitted;
      for (const { app } of [first, second]) {
        for (let n = 0; n < ofNetwork / 20; n++)
          if (await app.resourceWorld.tryReserve('oauth2_requests', stranger)) admitted += 1;
      }
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    expect(admitted).toBeGreaterThanOrEqual(ofNetwork);
    expect(admitted).toBeLessThan(ofNetwork * 1.9);
  });

  test('share the limit on recorded configuration errors', async () => {
    const { provider } = await makeRelying(first);
    const headers = { 'x-forwarded-for': newAddress() };
    const ask = async (server: TestServer) => {
      const query = new URLSearchParams({
        client_id: provider.client_id,
        redirect_uri: 'https://elsewhere.example/',
        response_type: 'code',
      });
      expect((await server.nobody.send('GET', `/application/o/authorize/?${query}`, undefined, headers)).status).toBe(
        400,
      );
    };
    const path = `/events/events/?action=configuration_error&client_ip=${headers['x-forwarded-for']}`;
    const count = async () => (await first.admin.get(path)).body.pagination.count as number;
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
