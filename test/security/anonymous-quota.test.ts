import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { anonymousLimitsOf } from '../../src/app/anonymous-limits.ts';
import { createAnonymousQuota } from '../../src/platform/limits/anonymous-quota.ts';
import { apiFor } from '../support/api.ts';
import { openBrowser, signInFlow } from '../support/flow-client.ts';
import { made, makeWalk, unique } from '../support/make-walk.ts';
import { callback, challenge, makeRelying, post } from '../support/oauth2.ts';
import { describeOnBoth } from '../support/server.ts';

const stranger = (clientIp: string) => ({ actor: null, request: { clientIp, method: 'POST' } }) as never;
const ours = (n: number) => `2001:db8:1:2::${n.toString(16)}`;

describeOnBoth('rows that anonymous callers make the server store', (server) => {
  test('are bounded per network, with an IPv6 /64 as one, and in total', async () => {
    const { db } = server().world;
    const limits = { events: { ofNetwork: 3, inAll: 1_000_000 } };
    const rows = createAnonymousQuota(db, limits);
    const admitted: boolean[] = [];
    for (let n = 1; n <= 5; n++) admitted.push(await rows.tryReserve('events', stranger(ours(n))));
    expect(admitted).toEqual([true, true, true, false, false]);
    expect(await rows.tryReserve('events', stranger('2001:db8:1:3::1'))).toBe(true);
    expect(rows.refused()).toEqual({ events: 2 });

    const { events } = await createAnonymousQuota(db, limits).counts();
    const full = createAnonymousQuota(db, { events: { ofNetwork: 1_000, inAll: (events ?? 0) + 1 } });
    expect(await full.tryReserve('events', stranger('203.0.113.1'))).toBe(true);
    expect(await full.tryReserve('events', stranger('203.0.113.2'))).toBe(false);
  });

  test('are not bounded for signed-in people and the server itself', async () => {
    const rows = createAnonymousQuota(server().world.db, { events: { ofNetwork: 0, inAll: 0 } });
    const request = { clientIp: '203.0.113.1', method: 'POST' };
    expect(await rows.tryReserve('events', { actor: null, request } as never)).toBe(false);
    expect(await rows.tryReserve('events', { actor: {}, request } as never)).toBe(true);
    expect(await rows.tryReserve('events', { actor: null, request: { ...request, method: 'SYSTEM' } } as never)).toBe(
      true,
    );
  });

  test('are bounded for pushed requests and device codes of public clients', async () => {
    const relying = await makeRelying(server(), { client_type: 'public', grant_types: ['authorization_code', device] });
    const push = () =>
      post(server(), 'par', {
        client_id: relying.provider.client_id,
        response_type: 'code',
        redirect_uri: callback,
        scope: 'openid',
        code_challenge: challenge,
        code_challenge_method: 'S256',
      });
    const { ofNetwork } = anonymousLimitsOf(server().app.kinds.all).oauth2_requests as { ofNetwork: number };
    const statuses = new Map<number, number>();
    for (let n = 0; n < ofNetwork + 5; n++) {
      const { status } = await push();
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect(Object.fromEntries(statuses)).toEqual({ 201: ofNetwork, 503: 5 });
    const codes = await post(server(), 'device', { client_id: relying.provider.client_id, scope: 'openid' });
    expect([codes.status, codes.body.error]).toEqual([503, 'temporarily_unavailable']);
    const { rows } = await sql<{ n: number }>`select count(*) as n from oauth2_requests`.execute(
      server().world.db.read,
    );
    expect(Number(rows[0]?.n)).toBe(ofNetwork);
  });

  test('are bounded in size for events of failed sign-ins, however the request is padded', async () => {
    const browser = openBrowser(server(), { 'user-agent': 'x'.repeat(6_000) });
    await browser.show(signInFlow);
    await browser.answer(signInFlow, { uid_field: 'nobody-in-particular' });
    const padding = new URLSearchParams(Array.from({ length: 60 }, (_, n) => [`p${n}`, 'y'.repeat(80)]));
    await browser.answer(signInFlow, { password: 'wrong' }, `${padding}&long=${'z'.repeat(3_000)}`);
    const { rows } = await sql<{ context: string }>`select cast(context as text) as context from events
      where action = 'login_failed' order by created desc`.execute(server().world.db.read);
    expect(rows.length).toBeGreaterThan(0);
    const context = rows[0]?.context ?? '';
    expect(context).not.toContain('x'.repeat(501));
    expect(context).not.toContain('z'.repeat(501));
    expect(context.length).toBeLessThan(9_000);
  });

  test('are bounded in size for pushed requests, before parsing', async () => {
    const relying = await makeRelying(server());
    const headers = { authorization: relying.basic };
    // Were it parsed, it would be told that a parameter stands twice.
    const pushed = await apiFor(server().url, {
      ...headers,
      'content-type': 'application/x-www-form-urlencoded',
    }).send('POST', '/application/o/par/', `a=1&a=2&${'x=&'.repeat(20_000)}`);
    expect([pushed.status, pushed.body.error]).toEqual([413, 'invalid_request']);
    const sent = await apiFor(server().url, { 'content-type': 'application/x-www-form-urlencoded' }).send(
      'POST',
      '/application/o/authorize/',
      `state=${'x'.repeat(70_000)}`,
    );
    expect(sent.status).toBe(413);
  });

  test('are bounded in total for scores, attempts, links and large walks, where the first to expire are replaced', async () => {
    const { db } = server().world;
    const { resourceWorld } = server().app;
    const insert = (n: number) => sql`insert into policy_reputation_scores
      (pk, identifier, ip, ip_geo_data, ip_asn_data, score, updated, expires) values
      (${`00000000-0000-4000-8000-${String(n).padStart(12, '0')}`}, ${`guessed-${n}`}, '203.0.113.1', '{}', '{}', -1,
        '2030-01-01T00:00:00.000000Z', ${`2030-01-${String(n).padStart(2, '0')}T00:00:00.000000Z`})`;
    const rows = createAnonymousQuota(db, { policy_reputation_scores: { ofNetwork: 1, inAll: 3 } });
    for (let n = 1; n <= 7; n++) {
      await db.write(async (tx) => {
        await rows.evictOldest('policy_reputation_scores', tx);
        await insert(n).execute(tx);
      });
    }
    const left = await sql<{ identifier: string }>`select identifier from policy_reputation_scores
      where identifier like 'guessed-%' order by identifier`.execute(db.read);
    expect(left.rows.map(({ identifier }) => identifier)).toEqual(['guessed-5', 'guessed-6', 'guessed-7']);
    for (const table of ['sign_in_attempts', 'flow_links'])
      await db.write((tx) => resourceWorld.evictOldest(table, tx));
  });

  test('are bounded for the score and the counts that a failed sign-in stores', async () => {
    const asked: string[] = [];
    const { resourceWorld } = server().app;
    const { evictOldest } = resourceWorld;
    Object.assign(resourceWorld, {
      evictOldest: (table: string, tx: never) => {
        asked.push(table);
        return evictOldest(table, tx);
      },
    });
    const browser = openBrowser(server());
    await browser.show(signInFlow);
    await browser.answer(signInFlow, { uid_field: 'nobody-in-particular' });
    await browser.answer(signInFlow, { password: 'wrong' });
    Object.assign(resourceWorld, { evictOldest });
    expect(asked).toEqual(expect.arrayContaining(['policy_reputation_scores', 'sign_in_attempts']));
  });

  test('are bounded separately, and lower, for large walks', async () => {
    const { flow_plans, large_flow_plans } = anonymousLimitsOf(server().app.kinds.all);
    expect(large_flow_plans?.inAll).toBeLessThan((flow_plans?.inAll ?? 0) / 50);
    const field = await made(server(), '/stages/prompt/prompts/', {
      ...{ name: unique('prompt'), field_key: 'story', label: 'Your story', type: 'file', required: true },
    });
    const stages = [
      ['prompt/stages', { fields: [field.pk] }],
      ['dummy', {}],
    ] as const;
    const { slug } = await makeWalk(server(), stages, { designation: 'enrollment' });
    const fileOf = (bytes: number) => `data:text/plain;base64,${Buffer.alloc(bytes).toString('base64')}`;
    const tell = async (story: string) => {
      const browser = openBrowser(server());
      await browser.show(slug);
      return browser.answer(slug, { story });
    };
    const { resourceWorld } = server().app;
    const { tryReserve } = resourceWorld;
    const isFull: typeof tryReserve = async (table, call) => table !== 'large_flow_plans' && tryReserve(table, call);
    Object.assign(resourceWorld, { tryReserve: isFull });
    const [short, long] = [await tell(fileOf(10)), await tell(fileOf(100_000))];
    Object.assign(resourceWorld, { tryReserve });
    expect([short.status, long.status, long.body.code]).toEqual([200, 503, 'unavailable']);
    expect((await tell(fileOf(100_000))).body.component).toBe('xak-stage-dummy');
  });

  test('are counted in the metrics', async () => {
    const { text } = await apiFor(server().url, {}).send('GET', '/-/metrics');
    for (const table of Object.keys(anonymousLimitsOf(server().app.kinds.all))) {
      expect(text).toMatch(new RegExp(`gatehouse_anonymous_rows\\{table="${table}"\\} \\d+`));
      expect(text).toMatch(new RegExp(`gatehouse_anonymous_rows_refused\\{table="${table}"\\} \\d+`));
    }
  });
});

const device = 'urn:ietf:params:oauth:grant-type:device_code';
