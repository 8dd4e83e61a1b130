import { afterAll, afterEach, expect, test } from 'vitest';
import { startOpenId } from '../protocol/oauth-source/openid-service.ts';
import { openIdWalk } from '../protocol/oauth-source/openid-walk.ts';
import { newBrowser } from '../protocol/oauth-source/visitor.ts';
import { makeWalk, unique } from '../support/make-walk.ts';
import { isSignedIn } from '../support/second-factor.ts';
import { describeOnSqlite } from '../support/server.ts';

const peer = await startOpenId();
afterEach(() => peer.reset());
afterAll(() => peer.close());

describeOnSqlite(
  'user enumeration: names that redirect to a source',
  (server) => {
    const { source, arrive, linkedUser } = openIdWalk(server, peer);

    async function place() {
      const { slug, pk } = await source();
      const walk = await makeWalk(server(), [
        ['identification', { user_fields: ['username'] }],
        ['source', { source: pk }],
        ['user_login'],
      ]);
      return { slug, pk, walk };
    }

    async function typed(flow: string, name: string) {
      const browser = newBrowser(server());
      await browser.show(flow);
      const { body } = await browser.answer(flow, { uid_field: name });
      return { browser, query: new URL(body.to, server().url).search };
    }

    test('learns no address from the way there', async () => {
      const { pk, walk } = await place();
      const { username } = await linkedUser(pk, unique('sub'), { email: `${unique('secret')}@example.com` });
      for (const name of [username, unique('nobody')]) {
        const { query } = await typed(walk.slug, name);
        expect(new URLSearchParams(query).get('login_hint')).toBe(name);
      }
    });

    test('learns from an account of their own only that it is not the one named, whether there is one or not', async () => {
      const { slug, pk, walk } = await place();
      const { username } = await linkedUser(pk, unique('sub'));
      const own = await linkedUser(pk, 'own-sub');
      peer.person = { ...peer.person, sub: 'own-sub' };
      const shown = async (name: string) => {
        const { browser, query } = await typed(walk.slug, name);
        await arrive(slug, browser, query);
        const { body } = await browser.show(walk.slug);
        return [body.component, body.error_message, await isSignedIn(browser)];
      };
      const refused = await shown(username);
      expect(refused).toEqual(['xak-stage-access-denied', expect.stringMatching(/linked to another user/), false]);
      expect(await shown(unique('nobody'))).toEqual(refused);
      expect(await shown(own.username)).toEqual(['xak-flow-redirect', undefined, true]);
    });
  },
  { env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.0/8' } },
);
