import { afterAll, afterEach, expect, test } from 'vitest';
import { makeFlow, makeSource, unique } from '../api/sources/fixtures.ts';
import { startMediaServer } from '../api/sources/media-server.ts';
import { describeOnSqlite } from '../support/server.ts';
import { signIn } from '../support/session.ts';

const media = await startMediaServer();
afterEach(() => media.reset());
afterAll(() => media.close());
const env = { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.0/8', GATEHOUSE_MEDIASRC_API_URL: media.url };

let lastId = 70_000;
function account(): string {
  lastId += 1;
  const token = unique('token');
  media.know(token, { id: lastId, username: unique('media'), title: 'Somebody' });
  return token;
}

// An account elsewhere was linked to a user who had not proven to be that user (CVE-2026-105207).
describeOnSqlite(
  'CSRF: linking an account at a source',
  (server) => {
    const ways = ['redeem_token', 'redeem_token_authenticated'] as const;
    const place = async (values: Record<string, unknown> = {}) => {
      const source = await makeSource(server(), 'mediasrc', { plex_token: account(), ...values });
      const path = (way: string) => `/sources/mediasrc/${way}/?slug=${source.slug}`;
      const links = async () =>
        (await server().admin.get(`/sources/user_connections/mediasrc/?source__slug=${source.slug}`)).body.results;
      return { path, links };
    };

    test.each(ways)('%s links the user of the session', async (way) => {
      const { path, links } = await place();
      const user = await server().user();
      const { browser } = await signIn(server(), user.pk);
      const other = await server().user();
      const body = { plex_token: account(), user: other.pk, pk: other.pk };
      expect((await browser.post(path(way), body)).status).toBeLessThan(300);
      expect((await links()).map((link: { user: number }) => link.user)).toEqual([user.pk]);
    });

    test.each(ways)(
      '%s links no user in an old session, in which an account that is linked proves its owner',
      async (way) => {
        const { path, links } = await place();
        const user = await server().user();
        const { browser } = await signIn(server(), user.pk, { isProven: false });
        const { status, body } = await browser.post(path(way), { plex_token: account() });
        expect([status, body.code]).toEqual([403, 'recent_authentication_required']);
        expect(await links()).toEqual([]);
      },
    );

    test('redeem_token begins a sign-in in an old session if the account is the owner’s', async () => {
      const flow = (await server().admin.get('/flows/instances/default-source-authentication/')).body.pk;
      const { path, links } = await place({ authentication_flow: flow });
      const user = await server().user();
      const plex_token = account();
      const recent = await signIn(server(), user.pk);
      expect((await recent.browser.post(path('redeem_token'), { plex_token })).status).toBe(200);
      const { browser } = await signIn(server(), user.pk, { isProven: false });
      const { status, body } = await browser.post(path('redeem_token'), { plex_token });
      expect([status, body.to]).toEqual([200, expect.stringContaining('/if/flow/default-source-authentication/')]);
      expect(await links()).toHaveLength(1);
    });

    // Whoever stole a token made themselves a way in that outlived it.
    test('redeem_token_authenticated takes no API token', async () => {
      const { path, links } = await place();
      const user = await server().user();
      const { status, body } = await user.api.post(path('redeem_token_authenticated'), { plex_token: account() });
      expect([status, body.detail]).toEqual([403, 'This cannot be done with an API token. It takes: session.']);
      expect(await links()).toEqual([]);
    });

    test('redeem_token links no user when called with an API token: it begins a sign-in', async () => {
      const { slug } = await makeFlow(server(), 'enrollment', { authentication: 'require_unauthenticated' });
      const { path, links } = await place({ enrollment_flow: slug });
      const user = await server().user();
      const { status, body } = await user.api.post(path('redeem_token'), { plex_token: account() });
      expect([status, body.to]).toEqual([200, expect.stringContaining(`/if/flow/${slug}/`)]);
      expect(await links()).toEqual([]);
    });

    test.each(ways)('%s links no user for an ended session, from another site or while impersonating', async (way) => {
      const { path, links } = await place();
      const user = await server().user();
      const ended = await signIn(server(), user.pk);
      await user.api.delete(`/core/authenticated_sessions/${ended.pk}/`);
      const late = await signIn(server(), user.pk, { lifetimeMs: 0 });
      const current = await signIn(server(), user.pk);
      const helper = await server().user(['svc_core.view_user', 'svc_core.impersonate']);
      const acting = await signIn(server(), helper.pk);
      expect((await acting.browser.post(`/core/users/${user.pk}/impersonate/`)).status).toBe(204);
      for (const api of [ended.browser, late.browser, current.otherSite, acting.browser]) {
        const { status } = await api.post(path(way), { plex_token: account() });
        expect(status).toBeGreaterThanOrEqual(400);
      }
      expect(await links()).toEqual([]);
    });
  },
  { env },
);
