import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { countAttempt, countMessage } from '../../src/core/attempts/attempts.ts';
import { apiFor } from '../support/api.ts';
import { describeOnBoth, describeOnSqlite } from '../support/server.ts';

/** The n-th address of one subscriber. */
const ours = (n: number) => `2001:db8:1:2:${(n * 7919).toString(16).padStart(4, '0').slice(-4)}::${n.toString(16)}`;
const neighbour = '2001:db8:1:3::1';
const trustLoopback = { env: { GATEHOUSE_TRUSTED_PROXIES: '127.0.0.1' } };

describeOnBoth('attempts from all addresses of one IPv6 /64 share one limit', (server) => {
  const now = '2030-01-01T00:00:00.000000Z';

  test('guesses of passwords', async () => {
    const { world } = server();
    const call = { db: world.db, world: server().app.resourceWorld };
    const guess = async (ip: string, n: number) =>
      !(await countAttempt(call, world.key, { who: `guessed-${n}`, ip, now })).isBlocked;
    const claims: boolean[] = [];
    for (let n = 0; n < 203; n++) claims.push(await guess(ours(n), n));
    expect(claims.indexOf(false)).toBe(201);
    expect(await guess(neighbour, 1_000)).toBe(true);
    expect(await guess('203.0.113.7', 1_001)).toBe(true);
  });

  test('guesses that are counted at the same time', async () => {
    const { world } = server();
    const call = { db: world.db, world: server().app.resourceWorld };
    for (const who of ['ada', 'ben', 'chloe', 'dora', 'emil']) {
      const guesses = Array.from({ length: 40 }, (_, n) =>
        countAttempt(call, world.key, { who, ip: `198.51.100.${n}`, now }),
      );
      expect((await Promise.all(guesses)).filter(({ isBlocked }) => !isBlocked)).toHaveLength(11);
    }
    const subjects = Array.from({ length: 40 }, (_, n) => world.key.hash(`attempts:address:198.51.100.${n}`));
    const { rows } = await sql<{ failures: number | string }>`select sum(failures) as failures from sign_in_attempts
      where subject in (${sql.join(subjects)})`.execute(world.db.read);
    expect(Number(rows[0]?.failures)).toBe(5 * 11);
  });

  test('requests for messages', async () => {
    const { db, key } = server().world;
    const call = { world: server().app.resourceWorld };
    const claim = (ip: string, n: number) =>
      db.write((tx) => countMessage(tx, call, key, { who: `name-${n}`, by: { ip }, now }));
    const claims: boolean[] = [];
    for (let n = 0; n < 63; n++) claims.push(await claim(ours(n), n));
    expect(claims.indexOf(false)).toBe(61);
    expect(await claim(neighbour, 1_000)).toBe(true);
  });
});

describeOnSqlite(
  'requests from all addresses of one IPv6 /64 share one limit',
  (server) => {
    const from = (address: string) => apiFor(server().url, { 'x-forwarded-for': address });

    test('anonymous API calls', async () => {
      const ask = async (address: string) => (await from(address).get('/core/groups/')).status;
      for (let n = 0; n < 1_000; n += 50) {
        const statuses = await Promise.all(Array.from({ length: 50 }, (_, i) => ask(ours(n + i))));
        expect(new Set(statuses)).toEqual(new Set([403]));
      }
      expect(await ask(ours(5_000))).toBe(429);
      expect(await ask(neighbour)).toBe(403);
    });

    test('failed client authentications', async () => {
      const authorization = `Basic ${Buffer.from('nobody:wrong').toString('base64')}`;
      const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' };
      const ask = async (address: string) =>
        (await from(address).send('POST', '/application/o/introspect/', 'token=x', headers)).status;
      for (let n = 0; n < 100; n++) expect(await ask(ours(n))).toBe(401);
      expect(await ask(ours(5_000))).toBe(429);
      expect(await ask(neighbour)).toBe(401);
    });
  },
  trustLoopback,
);
