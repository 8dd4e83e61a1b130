import { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { countAttempt, countMessage, resetAttempts } from '../../src/core/attempts/attempts.ts';
import { plansOf } from '../../src/flow/attempt.ts';
import { createPlan, savePlan } from '../../src/flow/plan.ts';
import { createConnections as createLdapConnections } from '../../src/kinds/providers/ldap/server/listener.ts';
import { createConnections } from '../../src/kinds/providers/radius/radsec/connections.ts';
import { createAnonymousQuota } from '../../src/platform/limits/anonymous-quota.ts';
import { createRequestBodyQuota } from '../../src/platform/limits/request-body-quota.ts';
import { randomToken } from '../../src/platform/random.ts';
import { callOf } from '../../src/resource/call.ts';
import { storePendingLogin } from '../../src/source/pending-logins.ts';
import { signInSource } from '../protocol/oauth-source/make-source.ts';
import { apiFor } from '../support/api.ts';
import { flowKey } from '../support/make-walk.ts';
import { describeOnBoth, describeOnSqlite } from '../support/server.ts';

// One IPv6 /48 has 65,536 /64s: limits by /64 alone leave its owner nearly without limits.

/** An address in the n-th /64 of a /56 of one site. */
const inSite = (subnet: number, n: number) => `2001:db8:7:${((subnet << 8) + n).toString(16)}::1`;
const now = '2030-01-01T00:00:00.000000Z';

describeOnBoth('limits by IPv6 site', (server) => {
  test('guesses from the /64s of one /56 and one /48 share wider limits', async () => {
    const { world } = server();
    const call = { db: world.db, world: server().app.resourceWorld };
    const guess = async (ip: string, who: string) => !(await countAttempt(call, world.key, { who, ip, now })).isBlocked;
    const guesses: boolean[] = [];
    for (let n = 0; n < 810; n++) guesses.push(await guess(inSite(1, n % 250), `site-${n}`));
    expect(guesses.indexOf(false)).toBe(801);
    expect(await guess(inSite(2, 0), 'other-56')).toBe(true);
    expect(await guess('2001:db8:8::1', 'other-48')).toBe(true);
    expect(await guess('203.0.113.9', 'other-family')).toBe(true);
  });

  test('a successful sign-in is refunded to all networks', async () => {
    const { world } = server();
    const call = { db: world.db, world: server().app.resourceWorld };
    const failures = async () => {
      const { rows } = await sql<{
        n: number | string;
      }>`select coalesce(sum(failures), 0) as n from sign_in_attempts`.execute(world.db.read);
      return Number(rows[0]?.n);
    };
    const before = await failures();
    const attempt = { who: 'owner', ip: '2001:db8:9:1::1', now };
    await countAttempt(call, world.key, attempt);
    expect(await failures()).toBe(before + 4);
    await world.db.write((tx) => resetAttempts(tx, world.key, attempt));
    expect(await failures()).toBe(before);
  });

  test('requests for messages from one site share wider limits', async () => {
    const { db, key } = server().world;
    const call = { world: server().app.resourceWorld };
    const claims: boolean[] = [];
    for (let n = 0; n < 245; n++)
      claims.push(
        await db.write((tx) => countMessage(tx, call, key, { who: `mail-${n}`, by: { ip: inSite(3, n) }, now })),
      );
    expect(claims.indexOf(false)).toBe(241);
  });
});

describeOnSqlite(
  'limits of anonymous requests by IPv6 site',
  (server) => {
    test('rows that anonymous callers cause', async () => {
      const rows = createAnonymousQuota(server().world.db, { events: { ofNetwork: 3, inAll: 1_000_000 } });
      const admit = (clientIp: string) =>
        rows.tryReserve('events', { actor: null, request: { clientIp, method: 'POST' } } as never);
      const of56: boolean[] = [];
      for (let n = 0; n < 14; n++) of56.push(await admit(inSite(1, n)));
      expect(of56.indexOf(false)).toBe(12);
      const of48: boolean[] = [];
      for (let n = 2; n < 52; n++) of48.push(await admit(inSite(n, 0)));
      expect(of48.indexOf(false)).toBe(34);
      expect(await admit('2001:db8:8::1')).toBe(true);
    });

    test('walks and visits to sources, of which the oldest make room for those of the same site', async () => {
      const { db, key } = server().world;
      const source = await signInSource(server(), {
        authorization_url: 'https://elsewhere.example/authorize',
        access_token_url: 'https://elsewhere.example/token',
        profile_url: 'https://elsewhere.example/me',
        provider_type: 'github',
      });
      const flow = { pk: await flowKey(server(), 'default-authentication-flow'), slug: 'default-authentication-flow' };
      const callFrom = (clientIp: string) => ({ actor: null, request: { clientIp }, now }) as never;
      const leave = (times: number, from: (n: number) => string) =>
        db.write(async (tx) => {
          for (let n = 0; n < times; n++) {
            const call = callFrom(from(n));
            const visit = { purpose: 'passed', token: randomToken(), browser: '', source: source.pk } as const;
            await storePendingLogin(tx, key, visit, true, call);
            await savePlan(tx, key, createPlan(flow, null), now, plansOf(key, call));
          }
        });
      const left = async () => {
        const { rows } = await sql<{ visits: number | string; walks: number | string }>`select
          (select count(*) from source_visits) as visits, (select count(*) from flow_plans) as walks`.execute(db.read);
        return [Number(rows[0]?.visits), Number(rows[0]?.walks)];
      };
      await leave(1, () => '203.0.113.9');
      await leave(900, (n) => inSite(1, n % 200));
      expect(await left()).toEqual([801, 901]);
      await leave(3_000, (n) => inSite(2 + (n % 10), n % 200));
      expect(await left()).toEqual([3_201, 3_901]);
      await leave(1, () => '2001:db8:8::1');
      expect(await left()).toEqual([3_202, 3_902]);
    });

    test('memory for bodies', () => {
      const megabyte = 1024 * 1024;
      const room = createRequestBodyQuota();
      const shares = [1, 2, 3].map((n) => room(inSite(n, 0)));
      expect(shares.map((share) => share.tryGrowTo(30 * megabyte))).toEqual([true, true, false]);
      expect(room('2001:db8:8::1').tryGrowTo(30 * megabyte)).toBe(true);
      shares[0]?.release();
      expect(shares[2]?.tryGrowTo(30 * megabyte)).toBe(true);
    });

    test('handshakes of RadSec clients', () => {
      const { accept } = createConnections({
        ...{ db: server().world.db, key: server().world.key, log: server().world.log },
        ...{ clients: { find: async () => null }, requests: { answer: async () => null }, complain: () => null },
      });
      const isAccepted = (remoteAddress: string) => {
        const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress });
        accept(socket);
        return !socket.destroyed;
      };
      const accepted = Array.from({ length: 1_210 }, (_, n) => isAccepted(inSite(1, n % 250)));
      expect(accepted.indexOf(false)).toBe(1_200);
      expect(isAccepted(inSite(2, 0))).toBe(true);
    });

    test('connections by LDAP, of which those of the same site make room', async () => {
      const { accept } = createLdapConnections(
        { ...server().world, ...server().app } as never,
        {} as never,
        {} as never,
      );
      const open = (clientIp: string) => {
        const socket = new Socket();
        accept(socket, { clientIp, isTls: false });
        return socket;
      };
      const others = open('2001:db8:8::1');
      const ofSite = Array.from({ length: 1_100 }, (_, n) => open(inSite(n % 20, n % 200)));
      await setImmediate();
      expect(others.destroyed).toBe(false);
      for (const socket of [others, ...ofSite]) socket.destroy();
    });

    test('logout tokens that are refused', async () => {
      const { slug } = await signInSource(server(), {
        authorization_url: 'https://elsewhere.example/authorize',
        access_token_url: 'https://elsewhere.example/token',
        profile_url: 'https://elsewhere.example/me',
      });
      const statuses: number[] = [];
      for (let n = 0; n < 245; n++) {
        const api = apiFor(server().url, { 'x-forwarded-for': inSite(6, n % 250) });
        const headers = { 'content-type': 'application/x-www-form-urlencoded' };
        const path = `/source/oauth/backchannel-logout/${slug}/`;
        statuses.push((await api.send('POST', path, 'logout_token=x', headers)).status);
      }
      expect([statuses[0], statuses.indexOf(429)]).toEqual([400, 240]);
    });

    test('failed client authentications', async () => {
      const authorization = `Basic ${Buffer.from('no-client:wrong').toString('base64')}`;
      const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' };
      const statuses: number[] = [];
      for (let n = 0; n < 402; n++) {
        const api = apiFor(server().url, { 'x-forwarded-for': inSite(5, n % 250) });
        statuses.push((await api.send('POST', '/application/o/introspect/', 'token=x', headers)).status);
      }
      expect(statuses.indexOf(429)).toBe(400);
    });
  },
  { env: { GATEHOUSE_TRUSTED_PROXIES: '127.0.0.1' } },
);

describeOnBoth('events of anonymous requests beyond their quota', (server) => {
  test('are counted and summarized', async () => {
    const { world, app } = server();
    const strangers = createAnonymousQuota(world.db, { events: { ofNetwork: 2, inAll: 1_000_000 } });
    const at = (seconds: number) => new Date(Date.parse(now) + seconds * 1000).toISOString().replace('Z', '000Z');
    const fail = (n: number, seconds: number) => {
      const facts = { ...systemFacts, clientIp: '198.51.100.77' };
      const limited = { ...app.resourceWorld, tryReserve: strangers.tryReserve };
      const call = callOf({ facts, params: {} } as never, { db: world.db, world: limited } as never, {
        now: at(seconds),
      });
      const event = { action: 'login_failed', app: 'svc.api', context: { username: `guessed-${n}` } };
      return world.db.write((tx) => limited.record(tx, call, event));
    };
    for (let n = 1; n <= 7; n++) await fail(n, n);
    await fail(8, 120);
    const { body } = await server().admin.get('/events/events/?client_ip=198.51.100.77&ordering=created');
    const told = body.results.map(({ action, context }: { action: string; context: Summarized }) => [
      action,
      context.username ?? context.summary?.map(({ action: of, count, usernames }) => [of, count, usernames]),
    ]);
    expect(told).toEqual([
      ['login_failed', 'guessed-1'],
      ['login_failed', 'guessed-2'],
      ['suspicious_request', [['login_failed', 1, ['guessed-3']]]],
      ['suspicious_request', [['login_failed', 5, ['guessed-4', 'guessed-5', 'guessed-6', 'guessed-7', 'guessed-8']]]],
    ]);
  });
});

interface Summarized {
  readonly username?: string;
  readonly summary?: readonly { readonly action: string; readonly count: number; readonly usernames: string[] }[];
}

const systemFacts = {
  id: 'a-request',
  method: 'POST',
  path: '/api/v3/flows/executor/default/',
  query: new URLSearchParams(),
  host: 'localhost',
  userAgent: 'a guesser',
  header: () => undefined,
};
