import { afterAll, beforeEach, expect, test } from 'vitest';
import { attributeOf } from '../../src/lib/xml/element.ts';
import { startOpenId } from '../protocol/oauth-source/openid-service.ts';
import { openIdWalk } from '../protocol/oauth-source/openid-walk.ts';
import { comeBack, depart, saidOn, throughFlow } from '../protocol/oauth-source/visitor.ts';
import { samlWalk } from '../protocol/saml-source/saml-walk.ts';
import { made, unique } from '../support/make-walk.ts';
import { idpKey, signedResponse } from '../support/saml-idp.ts';
import { describeOnSqlite } from '../support/server.ts';
import { loopbackAllowed } from '../support/service.ts';
import { signedInBrowser } from '../support/signed-in-browser.ts';

const peer = await startOpenId();
const key = await idpKey();
beforeEach(() => peer.reset());
afterAll(() => peer.close());

const nowSeconds = () => Math.floor(Date.now() / 1_000);

// A source with a session of its own answers at once: that proves nothing about who sits there now.
describeOnSqlite(
  'a session whose user proves again at a source who they are',
  (server) => {
    const openId = openIdWalk(server, peer);
    const saml = samlWalk(server, () => key);

    const isRecent = async (browser: Awaited<ReturnType<typeof signedInBrowser>>) =>
      (await browser.post('/core/tokens/', { identifier: unique('token') })).status === 201;

    async function atOpenId(claims: Record<string, unknown>, values: Record<string, unknown> = {}) {
      const { pk, slug } = await openId.source(values);
      const user = await openId.linkedUser(pk, 'ada-1');
      const browser = await signedInBrowser(server(), user.pk, { isProven: false });
      expect(await isRecent(browser)).toBe(false);
      const asked = await depart(server(), browser, slug);
      peer.claims = claims;
      await peer.prepare(asked.searchParams.get('nonce') ?? '');
      const answer = { code: 'a-code', state: asked.searchParams.get('state') ?? '' };
      return { asked, browser, page: await comeBack(server(), browser, slug, answer) };
    }

    test('needs an auth_time after the request', async () => {
      const { asked, page, browser } = await atOpenId({ auth_time: nowSeconds() });
      expect([asked.searchParams.get('prompt'), asked.searchParams.get('max_age')]).toEqual(['login', '0']);
      await throughFlow(browser, page);
      expect(await isRecent(browser)).toBe(true);
    });

    test.each([
      [{ auth_time: undefined }, 'did not say when you signed in there'],
      [{ auth_time: 'now' }, 'did not say when you signed in there'],
      [{ auth_time: nowSeconds() - 120 }, 'did not ask you to sign in there again'],
    ])('is refused with %o', async (claims, why) => {
      const { page, browser } = await atOpenId(claims);
      expect([page.status, saidOn(page)]).toEqual([400, expect.stringContaining(why)]);
      expect(await isRecent(browser)).toBe(false);
    });

    test('is taken at the word of services that never say, but not against it', async () => {
      const urls = { provider_type: 'azuread', oidc_jwks_url: `${peer.url}/jwks` };
      const silent = await atOpenId({ auth_time: undefined }, urls);
      expect(silent.asked.searchParams.has('max_age')).toBe(false);
      await throughFlow(silent.browser, silent.page);
      expect(await isRecent(silent.browser)).toBe(true);
      const stale = await atOpenId({ auth_time: nowSeconds() - 120 }, urls);
      expect(stale.page.status).toBe(400);
    });

    test('may sign in for the first time whenever they authenticated', async () => {
      peer.claims = { auth_time: nowSeconds() - 9_000 };
      const { slug } = await openId.source();
      expect((await openId.arrive(slug)).status).toBe(302);
      expect(
        (await saml.signIn((await saml.source()).slug, { authenticatedAt: Date.now() - 9_000_000 })).user,
      ).toBeDefined();
    });

    test.each([
      [0, 302, ''],
      [-120_000, 400, 'did not ask you to sign in there again'],
    ])('needs an AuthnInstant after the request: %i ms', async (before, status, why) => {
      const { pk, slug } = await saml.source();
      const user = await server().user();
      const nameId = unique('name');
      await made(server(), '/sources/user_connections/saml/', { user: user.pk, source: pk, identifier: nameId });
      const browser = await signedInBrowser(server(), user.pk, { isProven: false });
      const request = await saml.depart(slug, browser);
      expect(attributeOf(request, 'ForceAuthn')).toBe('true');
      const told = { inResponseTo: attributeOf(request, 'ID'), nameId, authenticatedAt: Date.now() + before };
      const page = await saml.bring(slug, browser, signedResponse(saml.about(slug, told), key));
      expect([page.status, saidOn(page)]).toEqual([status, expect.stringContaining(why)]);
      if (status === 302) await throughFlow(browser, page);
      expect(await isRecent(browser)).toBe(status === 302);
    });
  },
  { env: loopbackAllowed },
);
