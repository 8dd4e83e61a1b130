import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { eventsDuring } from '../../support/events.ts';
import { runJob } from '../../support/jobs.ts';
import { unique } from '../../support/make-walk.ts';
import { describeOnSqlite } from '../../support/server.ts';
import { json, loopbackAllowed } from '../../support/service.ts';
import { startOpenId } from './openid-service.ts';
import { openIdWalk } from './openid-walk.ts';
import { depart, newBrowser, saidOn, visit } from './visitor.ts';

const peer = await startOpenId();
beforeEach(() => peer.reset());
afterAll(() => peer.close());

const known = () => ({ sub: unique('sub'), preferred_username: unique('person'), name: 'Person' });

describeOnSqlite(
  'the other side of an OpenID source',
  (server) => {
    const { source, arrive, connectionsOf } = openIdWalk(server, peer);

    describe('discovery', () => {
      const discovered = async (slug: string) =>
        (
          await sql<{
            oidc_discovered: string;
          }>`select o.oidc_discovered from source_oauth o join sources s on s.pk = o.pk
            where s.slug = ${slug}`.execute(server().world.db.read)
        ).rows[0]?.oidc_discovered;

      test('a source is saved while the other side is down, and works once it is up', async () => {
        peer.override['/discovery'] = () => 'cut';
        const { slug } = await source();
        const page = await visit(server(), newBrowser(server()), `/source/oauth/login/${slug}/`);
        expect([page.status, saidOn(page)]).toEqual([400, expect.stringMatching(/OpenID configuration.*cannot be/)]);
        peer.override = {};
        peer.person = known();
        expect((await arrive(slug)).status).toBe(302);
      });

      test.each([
        ['no JSON', () => ({ body: '<html>' })],
        ['no object', () => json([1])],
        ['no issuer', () => json({})],
        ['a script for an issuer', () => json({ issuer: 'javascript:alert(1)' })],
        ['an error', () => json({}, 500)],
        ['a redirect', () => ({ status: 302, body: '', headers: { location: 'http://169.254.169.254/' } })],
        ['too much', () => ({ body: `{"issuer":"${'x'.repeat(300_000)}"}` })],
      ])('%s is told by a page', async (_name, answer) => {
        peer.override['/discovery'] = answer;
        const { slug } = await source();
        const page = await visit(server(), newBrowser(server()), `/source/oauth/login/${slug}/`);
        expect([page.status, saidOn(page)]).toEqual([400, expect.stringContaining('OpenID configuration')]);
      });

      test('addresses inside that are not allowed are not called', async () => {
        const { slug } = await source({ oidc_well_known_url: 'http://169.254.169.254/latest' });
        const page = await visit(server(), newBrowser(server()), `/source/oauth/login/${slug}/`);
        expect([page.status, saidOn(page)]).toEqual([400, expect.stringContaining('may not be called')]);
      });

      test('addresses set by hand stay, and win over those published', async () => {
        const { slug, pk } = await source({ authorization_url: `${peer.url}/by-hand?audience=x&state=y` });
        await runJob(server(), 'oauth_source_refresh', { source: pk });
        expect((await server().admin.get(`/sources/oauth/${slug}/`)).body.authorization_url).toContain('/by-hand');
        const asked = await depart(server(), newBrowser(server()), slug);
        expect([asked.pathname, asked.searchParams.get('audience'), asked.searchParams.getAll('state').length]).toEqual(
          ['/by-hand', 'x', 1],
        );
        expect(asked.searchParams.get('state')).not.toBe('y');
      });

      test('the job never asks a disabled source', async () => {
        const { slug, pk } = await source({ enabled: false, oidc_well_known_url: `${peer.url}/discovery?disabled` });
        await runJob(server(), 'oauth_source_refresh', { source: pk });
        const asked = peer.requests.filter(({ path }) => path.endsWith('?disabled'));
        expect([asked, JSON.stringify(await discovered(slug))]).toEqual([[], expect.not.stringContaining('issuer')]);
        await server().admin.patch(`/sources/oauth/${slug}/`, { enabled: true });
        await runJob(server(), 'oauth_source_refresh', { source: pk });
        expect(JSON.stringify(await discovered(slug))).toContain('issuer');
      });

      test('what was discovered counts no more when the source is pointed elsewhere', async () => {
        const { slug } = await source();
        await depart(server(), newBrowser(server()), slug);
        await server().admin.patch(`/sources/oauth/${slug}/`, { oidc_well_known_url: `${peer.url}/nowhere` });
        const page = await visit(server(), newBrowser(server()), `/source/oauth/login/${slug}/`);
        expect(page.status).toBe(400);
      });
    });

    describe('another side that misbehaves is told of by a page:', () => {
      test.each<[string, '/token' | '/userinfo', Parameters<typeof answerWith>[0]]>([
        ['the token endpoint fails', '/token', json({}, 500)],
        ['the token endpoint refuses', '/token', json({ error: 'invalid_grant' }, 400)],
        ['the token endpoint refuses with 200', '/token', json({ error: 'bad_verification_code' })],
        ['the token endpoint sends HTML', '/token', { body: '<html>' }],
        ['the token endpoint sends a list', '/token', json([])],
        ['the token endpoint sends null', '/token', json(null)],
        ['the token endpoint hangs up', '/token', 'cut'],
        ['the token endpoint redirects', '/token', { status: 307, body: '', headers: { location: '/x' } }],
        ['there is no token', '/token', json({ token_type: 'Bearer' })],
        ['the token is empty', '/token', json({ access_token: '', token_type: 'Bearer' })],
        ['the token would break the header', '/token', json({ access_token: 'a\r\nb', token_type: 'Bearer' })],
        ['the token is of another type', '/token', json({ access_token: 'a', token_type: 'mac' })],
        ['the profile fails', '/userinfo', json({}, 503)],
        ['the profile is no JSON', '/userinfo', { body: 'hello' }],
        ['the profile is too deep', '/userinfo', { body: `${'{"a":'.repeat(3000)}1${'}'.repeat(3000)}` }],
        ['the profile cannot be stored', '/userinfo', json({ sub: 'ada-1', name: 'a\u0000b' })],
        ['the profile is too large', '/userinfo', { body: JSON.stringify({ sub: 'x'.repeat(400_000) }) }],
      ])('%s', async (_name, path, answer) => {
        const { slug } = await source();
        peer.override[path] = answerWith(answer);
        const page = await arrive(slug);
        expect([page.status, saidOn(page)]).toEqual([
          400,
          expect.stringMatching(/Could not retrieve the (token|profile)/),
        ]);
        expect(await connectionsOf(slug)).toEqual([]);
      });
      const answerWith = (answer: ReturnType<typeof json>) => () => answer;

      test('the token endpoint never answers', async () => {
        const { slug } = await source();
        peer.override['/token'] = () => 'silence';
        const page = await arrive(slug);
        expect([page.status, saidOn(page)]).toEqual([400, expect.stringContaining('took too long')]);
      });
    });

    test('a source without keys or addresses is reported once as misconfigured', async () => {
      const { slug } = await source({
        oidc_well_known_url: '',
        authorization_url: `${peer.url}/authorize`,
        access_token_url: `${peer.url}/token`,
        profile_url: `${peer.url}/userinfo`,
      });
      const events = await eventsDuring(server(), async () => {
        const page = await arrive(slug);
        expect([page.status, saidOn(page)]).toEqual([400, expect.stringContaining('not set up correctly')]);
        await arrive(slug);
      });
      expect(events.map(({ action }) => action)).toEqual(['configuration_error']);
      await server().admin.patch(`/sources/oauth/${slug}/`, { oidc_jwks_url: `${peer.url}/jwks?own` });
      peer.person = known();
      expect((await arrive(slug)).status).toBe(302);
    });
  },
  { env: { ...loopbackAllowed, GATEHOUSE_PUBLIC_URL: 'http://localhost:8765' } },
);
