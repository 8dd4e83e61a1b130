import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { addMilliseconds } from '../../../src/platform/clock.ts';
import { eventsDuring } from '../../support/events.ts';
import { made, unique } from '../../support/make-walk.ts';
import { makeRelying, mappingsOf, tokensFor } from '../../support/oauth2.ts';
import { describeOnBoth, startServer, type TestServer } from '../../support/server.ts';
import { json, loopbackAllowed } from '../../support/service.ts';
import { startOpenId } from './openid-service.ts';
import { openIdWalk } from './openid-walk.ts';
import { newBrowser, throughFlow } from './visitor.ts';

const peer = await startOpenId();
beforeEach(() => peer.reset());
afterAll(() => peer.close());

/** On the same database, a minute ahead. */
function instanceBeside({ world: { config, clock } }: TestServer): Promise<TestServer> {
  const env = { ...loopbackAllowed, DATABASE_URL: config.databaseUrl ?? '', GATEHOUSE_PUBLIC_URL: config.publicUrl };
  return startServer('postgres', { env, clock: { now: () => addMilliseconds(clock.now(), 60_000) } });
}

const past = '2020-01-01T00:00:00.000000Z';

describeOnBoth(
  'the access token of a user at an OpenID source, for a scope mapping',
  (server) => {
    const { source, arrive, me } = openIdWalk(server, peer);

    /** A user who signed in by a source, and a client whose scope mapping reads their token there. */
    async function setUp(token: Record<string, unknown> = { refresh_token: 'rt-1' }) {
      const { slug, pk } = await source();
      peer.person = { sub: unique('sub'), preferred_username: unique('person'), name: 'Person' };
      peer.token = token;
      const browser = newBrowser(server());
      await throughFlow(browser, await arrive(slug, browser));
      const scope = unique('upstream');
      const mapping = await made(server(), '/propertymappings/provider/scope/', {
        name: scope,
        scope_name: scope,
        expression: `return { upstream: source_tokens['${slug}'] ?? 'none' };`,
        token_sources: [pk],
      });
      // Of the same scope, without declaring the source.
      const other = await made(server(), '/propertymappings/provider/scope/', {
        name: `${scope}-other`,
        scope_name: scope,
        expression: 'return { other: source_tokens };',
      });
      const mappings = [...(await mappingsOf(server(), ['openid'])), mapping.pk, other.pk];
      const relying = await makeRelying(server(), { property_mappings: mappings, include_claims_in_id_token: true });
      const user = await me(browser);
      const tokens = await tokensFor(server(), relying, user.pk, { scope: ['openid', scope] });
      const upstream = async () => {
        const { body } = await server().as(tokens.access_token).get('/application/o/userinfo/');
        expect(body.other).toEqual({});
        return body.upstream;
      };
      const { db } = server().world;
      const ofSource = sql`pk in (select pk from user_source_connections where source = ${pk})`;
      const expire = () =>
        db.write((tx) => sql`update user_connection_oauth set expires = ${past} where ${ofSource}`.execute(tx));
      const stored = async () =>
        (await sql<Record<string, unknown>>`select * from user_connection_oauth where ${ofSource}`.execute(db.read))
          .rows[0];
      peer.requests.length = 0;
      return { slug, pk, mapping, tokens, upstream, expire, stored };
    }
    const renewals = () =>
      peer.requests
        .filter(({ path }) => path === '/token')
        .map(({ body }) => Object.fromEntries(new URLSearchParams(String(body))));

    test('is the stored one while it is good, and is never part of an ID token', async () => {
      const { upstream, tokens } = await setUp();
      expect(await upstream()).toBe('at-1');
      expect(renewals()).toEqual([]);
      const claims = JSON.parse(Buffer.from(tokens.id_token.split('.')[1], 'base64url').toString());
      expect(claims.upstream).toBe('none');
    });

    test('is renewed once it has expired, and the rotated refresh token serves the next time', async () => {
      const { upstream, expire, stored } = await setUp();
      await expire();
      peer.token = { access_token: 'at-2', refresh_token: 'rt-2' };
      expect(await upstream()).toBe('at-2');
      expect(await upstream()).toBe('at-2');
      expect(renewals()).toEqual([{ grant_type: 'refresh_token', refresh_token: 'rt-1' }]);
      expect(JSON.stringify(await stored())).not.toMatch(/at-2|rt-2/);
      await expire();
      peer.token = { access_token: 'at-3' };
      expect(await upstream()).toBe('at-3');
      await expire();
      expect(await upstream()).toBe('at-3');
      expect(renewals().map(({ refresh_token }) => refresh_token)).toEqual(['rt-1', 'rt-2', 'rt-2']);
    });

    test('is renewed by one of many simultaneous requests, and all get the new one', async () => {
      const { upstream, expire } = await setUp();
      await expire();
      peer.token = { access_token: 'at-2', refresh_token: 'rt-2' };
      expect(new Set(await Promise.all(Array.from({ length: 6 }, upstream)))).toEqual(new Set(['at-2']));
      expect(renewals()).toHaveLength(1);
    });

    test('is renewed by one of several instances, although their clocks differ by more than a lease', async () => {
      const { expire, tokens } = await setUp();
      await expire();
      peer.override['/token'] = async () => {
        await sleep(500);
        return json({ access_token: 'at-2', refresh_token: 'rt-2', token_type: 'Bearer', expires_in: 3600 });
      };
      const beside = server().kind === 'postgres' ? await instanceBeside(server()) : null;
      const both = [server(), beside ?? server()];
      try {
        const answers = await Promise.all(
          [...both, ...both, ...both].map((one) => one.as(tokens.access_token).get('/application/o/userinfo/')),
        );
        expect(answers.map(({ body }) => body.upstream)).toEqual(answers.map(() => 'at-2'));
        expect(renewals()).toHaveLength(1);
      } finally {
        await beside?.close();
      }
    });

    test('is forgotten when the service refuses the refresh token, with an event that names no token', async () => {
      const { upstream, expire, stored } = await setUp();
      await expire();
      peer.override['/token'] = () => json({ error: 'invalid_grant' }, 400);
      const events = await eventsDuring(server(), async () => {
        expect(await upstream()).toBe('none');
        expect(await upstream()).toBe('none');
      });
      expect(events).toMatchObject([{ action: 'configuration_error', app: 'svc_sources_oauth' }]);
      expect(JSON.stringify(events)).toContain('no longer renews them');
      expect(JSON.stringify(events)).not.toMatch(/at-1|rt-1/);
      expect(await stored()).toMatchObject({ access_token: null, refresh_token: null, expires: null });
      expect(renewals()).toHaveLength(1);
    });

    test('is left out while the service fails, which is not called again at once, and comes back afterwards', async () => {
      const { upstream, expire, pk } = await setUp();
      await expire();
      peer.override['/token'] = () => json({}, 503);
      expect([await upstream(), await upstream()]).toEqual(['none', 'none']);
      expect(renewals()).toHaveLength(1);
      peer.override = {};
      peer.token = { access_token: 'at-2' };
      await server().world.db.write((tx) =>
        sql`update user_connection_oauth set renew_after = ${past}
          where pk in (select pk from user_source_connections where source = ${pk})`.execute(tx),
      );
      expect(await upstream()).toBe('at-2');
    });

    test('is left out when it has expired without a refresh token, or the source is disabled', async () => {
      const { upstream, expire, slug } = await setUp({});
      await server().admin.patch(`/sources/oauth/${slug}/`, { enabled: false });
      expect(await upstream()).toBe('none');
      await server().admin.patch(`/sources/oauth/${slug}/`, { enabled: true });
      expect(await upstream()).toBe('at-1');
      await expire();
      expect(await upstream()).toBe('none');
      expect(renewals()).toEqual([]);
    });

    test('is not given to a mapping that does not declare the source', async () => {
      const { upstream, mapping } = await setUp();
      const path = `/propertymappings/provider/scope/${mapping.pk}/`;
      expect((await server().admin.patch(path, { token_sources: [] })).status).toBe(200);
      expect(await upstream()).toBe('none');
    });

    test('can be asked for by superusers only, in mappings and in providers that use them', async () => {
      const { mapping, pk } = await setUp();
      const app = 'svc_providers_oauth2';
      const { api: person } = await server().user([
        ...['add', 'change', 'view'].flatMap((verb) => [
          `${app}.${verb}_scopemapping`,
          `${app}.${verb}_oauth2provider`,
        ]),
        'svc_sources_oauth.view_oauthsource',
      ]);
      const path = '/propertymappings/provider/scope/';
      const values = { name: unique('m'), scope_name: 'x', expression: 'return {};' };
      expect((await person.post(path, values)).status).toBe(201);
      const refused = [
        await person.post(path, { ...values, name: unique('m'), token_sources: [pk] }),
        await person.patch(`${path}${mapping.pk}/`, { expression: 'return source_tokens;' }),
      ];
      const { provider } = await makeRelying(server(), { property_mappings: [] });
      refused.push(await person.patch(`/providers/oauth2/${provider.pk}/`, { property_mappings: [mapping.pk] }));
      expect(refused.map(({ status }) => status)).toEqual([403, 403, 403]);
    });
  },
  { env: { ...loopbackAllowed, GATEHOUSE_PUBLIC_URL: 'http://localhost:8765' } },
);
