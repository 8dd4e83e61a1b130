import { expect, test } from 'vitest';
import { addMilliseconds, toTimestamp } from '../../src/platform/clock.ts';
import { apiFor } from '../support/api.ts';
import { eventsDuring } from '../support/events.ts';

import { type Browser, openBrowser } from '../support/flow-client.ts';
import { makeWalk } from '../support/make-walk.ts';
import { describeOnBoth, type TestUser } from '../support/server.ts';
import { signIn } from '../support/session.ts';

const clock = { at: Date.parse('2032-03-04T05:06:07Z'), now: () => toTimestamp(clock.at) };
const hour = 3_600_000;
const day = 24 * hour;
const me = '/core/users/me/';
const sessions = '/core/authenticated_sessions/';

describeOnBoth(
  'the length of sessions',
  (server) => {
    /** Signs a user in by a login stage with these settings. */
    async function enter(user: TestUser, settings: Record<string, unknown>, ip?: string): Promise<Browser> {
      const walk = await makeWalk(server(), [
        ['identification', { user_fields: ['username'] }],
        ['user_login', settings],
      ]);
      const browser = openBrowser(server(), ip ? { 'x-forwarded-for': ip } : {});
      await browser.show(walk.slug);
      await browser.answer(walk.slug, { uid_field: user.username });
      expect((await browser.get(me)).body.user.pk).toBe(user.pk);
      return browser;
    }
    const from = (browser: Browser, ip: string) =>
      apiFor(server().url, {
        cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        'x-forwarded-for': ip,
      });

    test('is the duration of the stage, however often the session is used', async () => {
      const user = await server().user();
      const browser = await enter(user, { session_duration: 'hours=2' });
      const began = clock.now();
      for (const minutes of [59, 60]) {
        clock.at += minutes * 60_000;
        expect((await browser.get(me)).status).toBe(200);
      }
      expect((await user.api.get(sessions)).body.results[0].expires).toBe(addMilliseconds(began, 2 * hour));
      clock.at += 60_000;
      expect((await browser.get(me)).status).toBe(403);
    });

    test('is one day after the last use where the stage sets no duration', async () => {
      const user = await server().user();
      const used = await enter(user, {});
      const unused = await enter(user, {});
      clock.at += 20 * hour;
      expect((await used.get(me)).status).toBe(200);
      clock.at += 20 * hour;
      expect((await used.get(me)).status).toBe(200);
      expect((await unused.get(me)).status).toBe(403);
      clock.at += day;
      expect((await used.get(me)).status).toBe(403);
    });

    test('is a month at most', async () => {
      const user = await server().user();
      const browser = await enter(user, {});
      for (let days = 0; days < 29; days++) {
        clock.at += day - 60_000;
        expect((await browser.get(me)).status, `day ${days}`).toBe(200);
      }
      clock.at += 23 * hour;
      expect((await browser.get(me)).status).toBe(200);
      clock.at += 2 * hour;
      expect((await browser.get(me)).status).toBe(403);
    });

    test.for([{}, { session_duration: 'hours=5' }])(
      'is not extended by a flow that asks for nothing: %o',
      async (anew) => {
        const user = await server().user();
        const browser = await enter(user, { session_duration: 'hours=2' });
        const { slug } = await makeWalk(server(), [['user_login', anew]]);
        clock.at += hour;
        expect((await browser.answer(slug, {})).body.component).toBe('xak-flow-redirect');
        for (const minutes of [30, 29]) {
          clock.at += minutes * 60_000;
          expect((await browser.get(me)).status).toBe(200);
        }
        clock.at += 60_000;
        expect((await browser.get(me)).status).toBe(403);
      },
    );

    test('ends when a session bound to a country turns up elsewhere', async () => {
      const user = await server().user();
      const binding = { geoip_binding: 'bind_continent_country' };
      const browser = await enter(user, binding, '8.8.8.8');
      expect((await from(browser, '8.8.4.4').get(me)).status).toBe(200);
      const events = await eventsDuring(server(), async () => {
        expect((await from(browser, '193.99.144.85').get(me)).status).toBe(403);
      });
      expect(events).toMatchObject([
        {
          action: 'logout',
          username: user.username,
          context: { logout_reason: 'Session binding broken', binding: { previous_value: 'NA', new_value: 'EU' } },
        },
      ]);
      expect((await browser.get(me)).status).toBe(403);
      expect((await user.api.get(sessions)).body.results).toEqual([]);
    });

    test('goes on in another country of the continent that it is bound to', async () => {
      const { geo } = server().world;
      const [britain, germany, america] = ['212.58.233.1', '193.99.144.85', '8.8.8.8'];
      expect([britain, germany, america].map((ip) => geo.locate(ip)?.country)).toEqual(['GB', 'DE', 'US']);
      const browser = await enter(await server().user(), { geoip_binding: 'bind_continent' }, britain);
      expect((await from(browser, germany).get(me)).status).toBe(200);
      expect((await from(browser, america).get(me)).status).toBe(403);
    });

    test('ends when a session bound to an address turns up at another', async () => {
      const user = await server().user();
      const browser = await enter(user, { network_binding: 'bind_asn_network_ip' }, '192.0.2.7');
      expect((await from(browser, '192.0.2.7').get(me)).status).toBe(200);
      expect((await from(browser, '192.0.2.8').get(me)).status).toBe(403);
      expect((await from(browser, '192.0.2.7').get(me)).status).toBe(403);
    });

    test('ends so after a flow, too, that asks for nothing and binds to nothing', async () => {
      const user = await server().user();
      const browser = await enter(user, { network_binding: 'bind_asn_network_ip' }, '192.0.2.7');
      const { slug } = await makeWalk(server(), [['user_login']]);
      expect((await browser.answer(slug, {})).body.component).toBe('xak-flow-redirect');
      expect((await from(browser, '192.0.2.7').get(me)).status).toBe(200);
      expect((await from(browser, '192.0.2.8').get(me)).status).toBe(403);
    });

    test('does not depend on the address for sessions that are not bound', async () => {
      const browser = await enter(await server().user(), {}, '8.8.8.8');
      expect((await from(browser, '193.99.144.85').get(me)).status).toBe(200);
    });

    test('ends when their owner signs out everywhere', async () => {
      const user = await server().user();
      const other = await signIn(server(), (await server().user()).pk);
      const [first, second, third] = await Promise.all([1, 2, 3].map(() => signIn(server(), user.pk)));
      const path = `${sessions}sign_out_everywhere/`;
      expect((await server().nobody.post(path)).status).toBe(403);
      expect((await first?.otherSite.post(path))?.status).toBe(403);
      const events = await eventsDuring(server(), async () => {
        expect((await first?.browser.post(path, { keep_current: true }))?.status).toBe(204);
      });
      expect(events).toMatchObject([{ action: 'logout', context: { sessions: 2 } }]);
      const states = async () =>
        Promise.all([first, second, third, other].map(async (one) => (await one?.browser.get(me))?.status));
      expect(await states()).toEqual([200, 403, 403, 200]);
      expect((await first?.browser.post(path))?.status).toBe(204);
      expect(await states()).toEqual([403, 403, 403, 200]);
    });
  },
  { clock, env: { GATEHOUSE_TRUSTED_PROXIES: '127.0.0.1' } },
);
