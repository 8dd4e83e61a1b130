import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { unique } from '../../support/make-walk.ts';
import { describeOnSqlite } from '../../support/server.ts';
import { json, loopbackAllowed } from '../../support/service.ts';
import { clientId, startOpenId } from './openid-service.ts';
import { openIdWalk } from './openid-walk.ts';
import { comeBack, depart, newBrowser, saidOn, throughFlow, visit } from './visitor.ts';

const peer = await startOpenId();
beforeEach(() => peer.reset());
afterAll(() => peer.close());

const known = () => ({ sub: unique('sub'), preferred_username: unique('person'), name: 'Person' });
const done = { component: 'xak-flow-redirect', to: '/if/user/' };

describeOnSqlite(
  'an OpenID source',
  (server) => {
    const { source, arrive, me } = openIdWalk(server, peer);

    describe('reads a discovery document', () => {
      const suffix = '.well-known/openid-configuration';
      const at = (path: string, issuer: string) => {
        peer.override[path] = () =>
          json({
            issuer,
            authorization_endpoint: `${peer.url}/authorize`,
            token_endpoint: `${peer.url}/token`,
            jwks_uri: `${peer.url}/jwks`,
          });
        return source({ oidc_well_known_url: `${peer.url}${path}` });
      };
      const leave = (slug: string) => visit(server(), newBrowser(server()), `/source/oauth/login/${slug}/`);

      test.each<[string, (url: string) => string]>([
        [`/${suffix}`, (url) => url],
        [`/${suffix}`, (url) => `${url}/`],
        [`/realms/one/${suffix}`, (url) => `${url}/realms/one`],
        [`/realms/one/${suffix}`, (url) => `${url}/realms/one/`],
        ['/.well-known/openid-configuration/tenant/1', (url) => `${url}/tenant/1`],
        ['/.well-known/oauth-authorization-server/tenant/1', (url) => `${url}/tenant/1`],
        [`/common/v2.0/${suffix}`, () => 'https://login.example/{tenantid}/v2.0'],
        ['/discovery', (url) => `${url}/anything`],
      ])('at %s that names its issuer', async (path, issuer) => {
        const { slug } = await at(path, issuer(peer.url));
        expect((await leave(slug)).status).toBe(302);
      });

      test.each<[string, (url: string) => string]>([
        [`/${suffix}`, () => 'https://accounts.example'],
        [`/realms/one/${suffix}`, (url) => `${url}/realms/two`],
        [`/realms/one/${suffix}`, (url) => url],
        ['/.well-known/openid-configuration/tenant/1', (url) => `${url}/tenant/2`],
        ['/discovery', () => 'https://accounts.example'],
      ])('at %s not if it names another issuer', async (path, issuer) => {
        const { slug } = await at(path, issuer(peer.url));
        const page = await leave(slug);
        expect([page.status, saidOn(page)]).toEqual([400, expect.stringContaining('another issuer')]);
      });
    });

    test('refuses an answer that names two issuers', async () => {
      const { slug } = await source();
      const browser = newBrowser(server());
      const asked = await depart(server(), browser, slug);
      await peer.prepare(asked.searchParams.get('nonce') ?? '');
      const query = new URLSearchParams({ code: 'c', state: asked.searchParams.get('state') ?? '' });
      for (const iss of [peer.url, 'https://evil.example']) query.append('iss', iss);
      const page = await visit(server(), browser, `/source/oauth/callback/${slug}/?${query}`);
      expect([page.status, saidOn(page)]).toEqual([400, expect.stringContaining('names its issuer more than once')]);
      const single = newBrowser(server());
      const again = await depart(server(), single, slug);
      await peer.prepare(again.searchParams.get('nonce') ?? '');
      const state = again.searchParams.get('state') ?? '';
      expect((await comeBack(server(), single, slug, { code: 'c', state, iss: peer.url })).status).toBe(302);
    });

    describe('reads a signed profile (application/jwt)', () => {
      const signed = (claims: Record<string, unknown>, type = 'application/jwt; charset=utf-8') => {
        peer.override['/userinfo'] = async () => ({
          headers: { 'content-type': type },
          body: await peer.sign({ iss: peer.url, aud: clientId, ...peer.person, ...claims }),
        });
      };

      test('that the provider has signed', async () => {
        const { slug } = await source();
        peer.person = known();
        signed({ name: 'From the profile' });
        const browser = newBrowser(server());
        expect(await throughFlow(browser, await arrive(slug, browser))).toEqual(done);
        expect((await me(browser)).name).toBe('From the profile');
      });

      test.each<[string, () => void, string]>([
        ['of another issuer', () => signed({ iss: 'https://evil.example' }), 'another issuer'],
        ['for another client', () => signed({ aud: 'other' }), 'another client'],
        ['of somebody else', () => signed({ sub: 'somebody-else' }), 'not that of the person'],
        [
          'without a signature',
          () => {
            const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
            peer.override['/userinfo'] = () => ({
              headers: { 'content-type': 'application/jwt' },
              body: `${encode({ alg: 'none' })}.${encode(peer.person)}.`,
            });
          },
          'signature is wrong',
        ],
      ])('not %s', async (_name, lie, words) => {
        const { slug } = await source();
        peer.person = known();
        lie();
        const page = await arrive(slug);
        expect([page.status, saidOn(page)]).toEqual([400, expect.stringContaining(words)]);
      });
    });
  },
  { env: { ...loopbackAllowed, GATEHOUSE_PUBLIC_URL: 'http://localhost:8765' } },
);
