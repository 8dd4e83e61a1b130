import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { eventsDuring } from '../support/events.ts';

import { openBrowser, signInByPassword } from '../support/flow-client.ts';
import { makePrompt, makeWalk } from '../support/make-walk.ts';
import { appFrom, isSignedIn, password, personWithPassword, step, stillClock } from '../support/second-factor.ts';
import { describeOnBoth } from '../support/server.ts';

const flow = 'default-authenticator-totp-setup';
const component = 'xak-stage-authenticator-totp';

describeOnBoth(
  'TOTP enrolment',
  (server) => {
    const begin = async () => {
      const user = await personWithPassword(server());
      const browser = openBrowser(server());
      await signInByPassword(browser, user.username, password);
      const shown = await browser.show(flow);
      return { user, browser, shown, app: appFrom(server(), browser, shown.body.config_url) };
    };
    const devicesOf = async (user: number) =>
      (await server().admin.get(`/authenticators/admin/all/?user=${user}`)).body;

    test('shows the configuration for an app, and the same one when shown again', async () => {
      const { user, browser, shown } = await begin();
      expect(shown.body).toMatchObject({ component, pending_user: user.username });
      const url = new URL(shown.body.config_url);
      expect([url.protocol, url.host]).toEqual(['otpauth:', 'totp']);
      expect(decodeURIComponent(url.pathname)).toBe(`/Gatehouse:${user.username}`);
      expect(Object.fromEntries(url.searchParams)).toMatchObject({ issuer: 'Gatehouse', digits: '6', period: '30' });
      expect(url.searchParams.get('secret')).toMatch(/^[A-Z2-7]{32}$/);
      expect((await browser.show(flow)).body.config_url).toBe(shown.body.config_url);
    });

    test('creates the device on a right code, and records one event without its key', async () => {
      const { user, browser, app, shown } = await begin();
      const events = await eventsDuring(server(), async () => {
        const answer = await browser.answer(flow, { component, code: Number(app.code()) });
        expect(answer.body).toEqual({ component: 'xak-flow-redirect', to: '/if/user/' });
      });
      expect(events.map(({ action, username }) => [action, username])).toEqual([['model_created', user.username]]);
      expect(events[0]?.context.model).toMatchObject({ model_name: 'totpdevice', name: 'Authenticator app' });
      const secret = new URL(shown.body.config_url).searchParams.get('secret') as string;
      expect(events[0]?.text).not.toContain(secret);
      expect(await devicesOf(user.pk)).toMatchObject([
        { name: 'Authenticator app', confirmed: true, last_used: null, verbose_name: 'TOTP Device' },
      ]);
      const { rows } = await sql`select * from device_totp`.execute(server().world.db.read);
      expect(JSON.stringify(rows)).not.toContain(secret);
    });

    test.each([
      ['a wrong code', { code: 0 }],
      ['no code', { component }],
      ['text', { code: 'abcdef' }],
      ['a negative number', { code: -1 }],
      ['a very long number', { code: 12345678901 }],
      ['null', { code: null }],
      ['an answer for another stage', { component: 'xak-stage-password', code: 1, password }],
      ['nothing at all', {}],
    ])('creates no device on %s, and keeps the key', async (_, answer) => {
      const { user, browser, shown } = await begin();
      const { body } = await browser.answer(flow, answer);
      expect(body).toMatchObject({ component, config_url: shown.body.config_url });
      expect(await devicesOf(user.pk)).toEqual([]);
    });

    test('accepts codes of the previous and the next time step, but no older or later ones', async () => {
      for (const [away, isRight] of [
        [-2 * step, false],
        [-step, true],
        [step, true],
        [2 * step, false],
      ] as const) {
        const { user, browser, app } = await begin();
        await browser.answer(flow, { code: app.code(away) });
        expect([away, (await devicesOf(user.pk)).length]).toEqual([away, isRight ? 1 : 0]);
      }
    });

    test('creates one device from an answer sent many times at once', async () => {
      const { user, browser, app } = await begin();
      const code = app.code();
      await Promise.all(Array.from({ length: 8 }, () => browser.answer(flow, { code })));
      expect(await devicesOf(user.pk)).toHaveLength(1);
    });

    test('uses as many digits as the stage says', async () => {
      const user = await personWithPassword(server());
      const walk = await makeWalk(server(), [['authenticator/totp', { digits: '8' }]]);
      const browser = openBrowser(server());
      await signInByPassword(browser, user.username, password);
      const app = appFrom(server(), browser, (await browser.show(walk.slug)).body.config_url);
      expect(app.code()).toMatch(/^\d{8}$/);
      expect((await browser.answer(walk.slug, { code: app.code() })).body.component).toBe('xak-flow-redirect');
    });

    test('is not open to people who only typed a name', async () => {
      const user = await personWithPassword(server());
      const walk = await makeWalk(server(), [
        ['identification', { user_fields: ['username'] }],
        ['authenticator/totp', { digits: '6' }],
        ['user_login'],
      ]);
      const browser = openBrowser(server());
      await browser.show(walk.slug);
      const { body } = await browser.answer(walk.slug, { uid_field: user.username });
      expect(body).toMatchObject({ component: 'xak-stage-access-denied' });
      expect(JSON.stringify(body)).not.toContain('secret');
      expect(await isSignedIn(browser)).toBe(false);
    });

    test('is not open to people who are not signed in', async () => {
      const { body } = await openBrowser(server()).show(flow);
      expect(body.component).toBe('xak-stage-access-denied');
    });

    test('adds the device to the account that an enrolment flow has just created', async () => {
      const walk = await makeWalk(
        server(),
        [
          ['prompt/stages', { fields: [await makePrompt(server(), 'username', 'username')] }],
          ['user_write', { user_creation_mode: 'always_create', create_users_as_inactive: false }],
          ['authenticator/totp', { digits: '6' }],
          ['user_login'],
        ],
        { designation: 'enrollment' },
      );
      const browser = openBrowser(server());
      await browser.show(walk.slug);
      const { body } = await browser.answer(walk.slug, { username: `${walk.slug}-newcomer` });
      expect(body.component).toBe(component);
      const app = appFrom(server(), browser, body.config_url);
      expect((await browser.answer(walk.slug, { code: app.code() })).body.component).toBe('xak-flow-redirect');
      expect(await isSignedIn(browser)).toBe(true);
      expect((await browser.get('/authenticators/totp/')).body.results).toHaveLength(1);
    });
  },
  { clock: stillClock() },
);
