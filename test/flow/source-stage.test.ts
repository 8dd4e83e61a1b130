import { afterAll, afterEach, expect, test } from 'vitest';
import { toTimestamp } from '../../src/platform/clock.ts';
import { makeSource } from '../api/sources/fixtures.ts';
import { sendJson, startMediaServer } from '../api/sources/media-server.ts';
import { openBrowser } from '../support/flow-client.ts';
import { makeWalk, unique } from '../support/make-walk.ts';
import { describeOnSqlite } from '../support/server.ts';
import { signedInBrowser } from '../support/signed-in-browser.ts';

const media = await startMediaServer();
afterEach(() => media.reset());
afterAll(() => media.close());
const clock = { at: Date.parse('2035-01-02T03:04:05Z'), now: () => toTimestamp(clock.at) };
const env = { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.0/8', GATEHOUSE_MEDIASRC_API_URL: media.url };
const asks = 'xak-source-mediasrc';
const done = { component: 'xak-flow-redirect', to: '/if/user/' };

let lastId = 90_000;
/** A user with an account at the media server. */
function account() {
  lastId += 1;
  const username = unique('media');
  const token = unique('token');
  media.know(token, { id: lastId, username, email: `${username}@example.com`, title: username });
  return { token, id: lastId };
}

describeOnSqlite(
  'the source stage',
  (server) => {
    async function place(settings: Record<string, unknown> = {}) {
      const source = await makeSource(server(), 'mediasrc', { plex_token: account().token });
      const walk = await makeWalk(server(), [['source', { source: source.pk, ...settings }], ['user_login']]);
      return { source, walk };
    }
    /** A user who is linked to an account there. */
    async function linked(source: { pk: string }) {
      const user = await server().user();
      const { token, id } = account();
      const values = { user: user.pk, source: source.pk, identifier: String(id), plex_token: token };
      expect((await server().admin.post('/sources/user_connections/mediasrc/', values)).status).toBe(201);
      return { ...user, plex: token };
    }
    const said = ({ body }: { body: { response_errors?: { non_field_errors: { string: string }[] } } }) =>
      body.response_errors?.non_field_errors[0]?.string;

    test('identifies a user by the linked account', async () => {
      const { source, walk } = await place();
      const user = await linked(source);
      const browser = openBrowser(server());
      expect((await browser.show(walk.slug)).body).toMatchObject({
        component: asks,
        client_id: source.client_id,
        slug: source.slug,
      });
      expect((await browser.answer(walk.slug, {})).body.component).toBe(asks);
      expect((await browser.answer(walk.slug, { plex_token: '' })).body.component).toBe(asks);
      const wrong = await browser.answer(walk.slug, { plex_token: 'nobodys' });
      expect([wrong.body.component, typeof said(wrong)]).toEqual([asks, 'string']);
      expect((await browser.answer(walk.slug, { plex_token: user.plex })).body).toEqual(done);
      expect((await browser.get('/core/users/me/')).body.user.pk).toBe(user.pk);
    });

    test('accepts only the pending user of the flow', async () => {
      const { source, walk } = await place();
      const user = await linked(source);
      const other = await linked(source);
      const browser = await signedInBrowser(server(), user.pk);
      await browser.show(walk.slug);
      const refused = await browser.answer(walk.slug, { plex_token: other.plex });
      expect(said(refused)).toBe(`This account of ${source.name} is linked to another user.`);
      expect((await browser.answer(walk.slug, { plex_token: user.plex })).body).toEqual(done);
      expect((await browser.get('/core/users/me/')).body.user.pk).toBe(user.pk);
    });

    test('neither links nor creates users', async () => {
      const { source, walk } = await place();
      const stranger = account();
      for (const browser of [openBrowser(server()), await signedInBrowser(server(), (await server().user()).pk)]) {
        await browser.show(walk.slug);
        const refused = await browser.answer(walk.slug, { plex_token: stranger.token });
        expect(said(refused)).toBe(`No user is linked to this account of ${source.name}.`);
      }
      const { body } = await server().admin.get(`/sources/user_connections/mediasrc/?source__slug=${source.slug}`);
      expect(body.results).toEqual([]);
    });

    test('refuses inactive users and users whom the source refuses', async () => {
      const { source, walk } = await place();
      const user = await linked(source);
      const browser = openBrowser(server());
      await browser.show(walk.slug);
      await server().admin.patch(`/core/users/${user.pk}/`, { is_active: false });
      expect(said(await browser.answer(walk.slug, { plex_token: user.plex }))).toBe('Access denied.');
      media.answer('/user', (_request, response) => sendJson(response, {}, 500));
      expect((await browser.answer(walk.slug, { plex_token: user.plex })).body.component).toBe(asks);
      await server().admin.patch(`/sources/mediasrc/${source.slug}/`, { enabled: false });
      expect((await browser.answer(walk.slug, { plex_token: user.plex })).body.component).toBe(
        'xak-stage-access-denied',
      );
    });

    test('restarts when the sign-in at the source took too long', async () => {
      const { source, walk } = await place({ resume_timeout: 'minutes=5' });
      const user = await linked(source);
      const browser = openBrowser(server());
      await browser.show(walk.slug);
      clock.at += 5 * 60_000;
      expect(said(await browser.answer(walk.slug, { plex_token: user.plex }))).toMatch(/^That took too long/);
      expect((await browser.answer(walk.slug, { plex_token: user.plex })).body).toEqual(done);
    });

    test('refuses sources that cannot be used within a flow', async () => {
      const { admin } = server();
      const saml = await makeSource(server(), 'scim', {});
      const refused = await admin.post('/stages/source/', { name: unique('stage'), source: saml.pk });
      expect([refused.status, Object.keys(refused.body)]).toEqual([400, ['source']]);
      const { source, walk } = await place();
      expect((await admin.get(`/stages/source/?source=${source.pk}`)).body.results).toMatchObject([
        { pk: walk.stages[0], resume_timeout: 'minutes=10' },
      ]);
    });
  },
  { env, clock },
);
