import { expect, test } from 'vitest';
import { eventsDuring } from '../support/events.ts';

import { signInFlow } from '../support/flow-client.ts';
import {
  appFrom,
  giveApp,
  giveCodes,
  isSignedIn,
  pastPassword,
  personWithPassword,
  step,
  stillClock,
} from '../support/second-factor.ts';
import { describeOnBoth } from '../support/server.ts';

const component = 'xak-stage-authenticator-validate';
const wrongCode = 'Invalid Token. Please ensure the time on your device is accurate and try again.';
const clock = stillClock();

describeOnBoth(
  'signing in with a second factor',
  (server, kind) => {
    const withApp = async () => {
      const user = await personWithPassword(server());
      const app = await giveApp(server(), user.username);
      return { user, app, ...(await pastPassword(server(), user.username)) };
    };

    test('a right code signs in, is named in the event and sets the time of last use', async () => {
      const { user, app, browser } = await withApp();
      const events = await eventsDuring(server(), async () => {
        const { body } = await browser.answer(signInFlow, { component, code: app.code() });
        expect(body).toEqual({ component: 'xak-flow-redirect', to: '/if/user/' });
      });
      expect(await isSignedIn(browser)).toBe(true);
      const [device] = (await browser.get('/authenticators/all/')).body;
      expect(device.last_used).toBe(clock.now());
      expect(events.map(({ action, username }) => [action, username])).toEqual([['login', user.username]]);
      expect(events[0]?.context).toMatchObject({
        auth_method: 'password',
        auth_method_args: {
          mfa_devices: [
            { app: 'svc_stages_authenticator_totp', model_name: 'totpdevice', pk: device.pk, name: device.name },
          ],
        },
      });
    });

    test('a code works once, and no older code works afterwards', async () => {
      const { user, app, browser } = await withApp();
      clock.forward(step);
      const code = app.code();
      const older = app.code(-step);
      await browser.answer(signInFlow, { code });
      expect(await isSignedIn(browser)).toBe(true);
      for (const used of [code, older]) {
        const again = await pastPassword(server(), user.username);
        expect((await again.browser.answer(signInFlow, { code: used })).body.component).toBe(component);
        expect(await isSignedIn(again.browser)).toBe(false);
        expect((await again.browser.answer(signInFlow, { code: app.code(step) })).body.component).toBe(
          used === code ? 'xak-flow-redirect' : component,
        );
      }
    });

    test('a code sent by many browsers at once signs in only one of them', async () => {
      const { user, app } = await withApp();
      const browsers = await Promise.all(Array.from({ length: 6 }, () => pastPassword(server(), user.username)));
      const code = app.code();
      await Promise.all(browsers.map(({ browser }) => browser.answer(signInFlow, { code })));
      const signedIn = await Promise.all(browsers.map(({ browser }) => isSignedIn(browser)));
      expect(signedIn.filter(Boolean)).toHaveLength(1);
    });

    test('a recovery code sent by many browsers at once signs in only one of them', async () => {
      const user = await personWithPassword(server());
      const [code] = await giveCodes(server(), user.username);
      const browsers = await Promise.all(Array.from({ length: 6 }, () => pastPassword(server(), user.username)));
      await Promise.all(browsers.map(({ browser }) => browser.answer(signInFlow, { code })));
      const signedIn = await Promise.all(browsers.map(({ browser }) => isSignedIn(browser)));
      expect(signedIn.filter(Boolean)).toHaveLength(1);
    });

    // What follows does not depend on the database.
    if (kind === 'postgres') return;

    test('people without a device are not asked for one', async () => {
      const user = await personWithPassword(server());
      const { browser, asked } = await pastPassword(server(), user.username);
      expect(asked.body.component).toBe('xak-flow-redirect');
      expect(await isSignedIn(browser)).toBe(true);
    });

    test('people with a device are asked after the password, and not signed in before', async () => {
      const { user, browser, asked } = await withApp();
      const [device] = (await server().admin.get(`/authenticators/admin/all/?user=${user.pk}`)).body;
      expect(asked.body).toMatchObject({
        component,
        pending_user: user.username,
        configuration_stages: [],
        device_challenges: [{ device_class: 'totp', device_uid: String(device.pk), challenge: {}, last_used: null }],
      });
      expect(await isSignedIn(browser)).toBe(false);
    });

    test('a code is accepted with spaces and as a JSON number', async () => {
      const { user, app, browser } = await withApp();
      const code = app.code();
      await browser.answer(signInFlow, { code: ` ${code.slice(0, 3)} ${code.slice(3)} ` });
      expect(await isSignedIn(browser)).toBe(true);
      clock.forward(step);
      const again = await pastPassword(server(), user.username);
      if (!app.code().startsWith('0')) await again.browser.answer(signInFlow, { code: Number(app.code()) });
      else await again.browser.answer(signInFlow, { code: app.code() });
      expect(await isSignedIn(again.browser)).toBe(true);
    });

    test('a wrong code does not pass, and is recorded without the code', async () => {
      const { user, browser } = await withApp();
      const events = await eventsDuring(server(), async () => {
        const { body } = await browser.answer(signInFlow, { component, code: '13371337' });
        expect(body).toMatchObject({ component, response_errors: { code: [{ string: wrongCode, code: 'invalid' }] } });
      });
      expect(events.map(({ action }) => action)).toEqual(['login_failed']);
      expect(events[0]?.context).toMatchObject({
        username: user.username,
        device_class: 'totp',
        stage: { model_name: 'authenticatorvalidatestage', name: 'default-authentication-mfa-validation' },
      });
      expect(events[0]?.text).not.toContain('13371337');
      expect(await isSignedIn(browser)).toBe(false);
    });

    test.each([
      ['nothing at all', {}],
      ['the component alone', { component }],
      ['an empty code', { code: '' }],
      ['null', { code: null }],
      ['a list', { code: ['000000'] }],
      ['an object', { code: { $ne: '' } }],
      ['a code that is too long', { code: '0'.repeat(1000) }],
      ['the password again', { password: 'right horse' }],
      ['an answer for another stage', { component: 'xak-stage-password', code: '000000' }],
      ['a proof of a class that the user does not have', { webauthn: { id: 'x' } }],
      ['a push that the user does not have', { twofactor: 1 }],
      ['a stage that is not offered', { selected_stage: 'x' }],
      ['a device that is not offered', { selected_challenge: { device_class: 'sms', device_uid: '1', challenge: {} } }],
      ['half a device', { selected_challenge: { device_class: 'totp' } }],
      ['all members empty', { selected_challenge: null, selected_stage: null, code: null, webauthn: null }],
    ])('%s does not pass', async (_, answer) => {
      const { browser } = await withApp();
      const { status, body } = await browser.answer(signInFlow, answer);
      expect([status, body.component]).toEqual([200, component]);
      expect(body.device_challenges).toHaveLength(1);
      expect(await isSignedIn(browser)).toBe(false);
    });

    test('the code that confirmed the app does not sign in', async () => {
      const { app, browser } = await withApp();
      expect((await browser.answer(signInFlow, { code: app.code(-step) })).body.component).toBe(component);
    });

    test('a recovery code signs in once, however it is written', async () => {
      const user = await personWithPassword(server());
      const [first = '', second = ''] = await giveCodes(server(), user.username);
      const written = `${first.slice(0, 6).toUpperCase()} ${first.slice(6)}`;
      const { browser, asked } = await pastPassword(server(), user.username);
      expect(asked.body.device_challenges).toMatchObject([{ device_class: 'static' }]);
      await browser.answer(signInFlow, { code: written });
      expect(await isSignedIn(browser)).toBe(true);
      expect((await browser.get('/authenticators/static/')).body.results[0].token_set).toHaveLength(5);
      const again = await pastPassword(server(), user.username);
      expect((await again.browser.answer(signInFlow, { code: first })).body.component).toBe(component);
      expect((await again.browser.answer(signInFlow, { code: second })).body.component).toBe('xak-flow-redirect');
    });

    test('people with several devices may use any of them, or choose one', async () => {
      const user = await personWithPassword(server());
      const codes = await giveCodes(server(), user.username);
      const first = await pastPassword(server(), user.username);
      await first.browser.answer(signInFlow, { code: codes[0] });
      const setup = 'default-authenticator-totp-setup';
      const app = appFrom(server(), first.browser, (await first.browser.show(setup)).body.config_url);
      await first.browser.answer(setup, { code: app.code(-step) });
      const { browser, asked } = await pastPassword(server(), user.username);
      const challenges = asked.body.device_challenges as { device_class: string }[];
      // Backup codes come last, also where they were used last.
      expect(challenges.map(({ device_class }) => device_class)).toEqual(['totp', 'static']);
      const [phone, list] = challenges;
      expect((await browser.answer(signInFlow, { selected_challenge: phone })).body.component).toBe(component);
      const mixed = await browser.answer(signInFlow, { selected_challenge: phone, code: codes[1] });
      expect(mixed.body.component).toBe(component);
      const right = await browser.answer(signInFlow, { selected_challenge: list, code: codes[1] });
      expect(right.body.component).toBe('xak-flow-redirect');
    });

    test('a deleted device is no longer asked for', async () => {
      const { user, app, browser } = await withApp();
      const [device] = (await app.browser.get('/authenticators/totp/')).body.results;
      await server().admin.delete(`/authenticators/admin/totp/${device.pk}/`);
      expect((await browser.answer(signInFlow, { code: app.code() })).body.component).toBe('xak-flow-redirect');
      const again = await pastPassword(server(), user.username);
      expect(again.asked.body.component).toBe('xak-flow-redirect');
    });

    test('a used-up list of recovery codes lets no user in without a code', async () => {
      const user = await personWithPassword(server());
      const codes = await giveCodes(server(), user.username);
      for (const code of codes) {
        const { browser } = await pastPassword(server(), user.username);
        await browser.answer(signInFlow, { code });
      }
      const { browser, asked } = await pastPassword(server(), user.username);
      expect(asked.body).toMatchObject({ component: 'xak-stage-access-denied' });
      expect(await isSignedIn(browser)).toBe(false);
    });
  },
  { clock },
);
