import { expect, test } from 'vitest';
import { openBrowser } from '../support/flow-client.ts';
import { made, makeWalk, unique } from '../support/make-walk.ts';
import {
  appFrom,
  giveApp,
  giveCodes,
  isSignedIn,
  password,
  personWithPassword,
  stillClock,
} from '../support/second-factor.ts';
import { describeOnSqlite } from '../support/server.ts';

const validate = 'xak-stage-authenticator-validate';
const totp = 'xak-stage-authenticator-totp';
const list = 'xak-stage-authenticator-static';
const denied = 'xak-stage-access-denied';
const redirect = 'xak-flow-redirect';
const backends = ['svc.core.auth.InbuiltBackend'];

describeOnSqlite(
  'people without a second factor',
  (server) => {
    const setups = async () => {
      const app = await made(server(), '/stages/authenticator/totp/', { name: unique('app'), digits: '6' });
      const codes = await made(server(), '/stages/authenticator/static/', { name: unique('codes') });
      return { app: app.pk as string, codes: codes.pk as string };
    };
    /** A sign-in with these settings of the stage that asks for a second factor; a browser past the password. */
    const signIn = async (settings: Record<string, unknown>, username: string, more: [string][] = []) => {
      const { slug } = await makeWalk(server(), [
        ['identification', { user_fields: ['username'] }],
        ['password', { backends }],
        ['authenticator/validate', settings],
        ...more,
        ['user_login'],
      ]);
      const browser = openBrowser(server());
      await browser.show(slug);
      await browser.answer(slug, { uid_field: username });
      return { slug, browser, asked: await browser.answer(slug, { password }) };
    };

    test('pass where the stage says skip', async () => {
      const user = await personWithPassword(server());
      const { browser, asked } = await signIn({ not_configured_action: 'skip' }, user.username);
      expect(asked.body.component).toBe(redirect);
      expect(await isSignedIn(browser)).toBe(true);
    });

    test('are denied where the stage says deny', async () => {
      const user = await personWithPassword(server());
      const { browser, asked } = await signIn({ not_configured_action: 'deny' }, user.username);
      expect(asked.body).toMatchObject({
        component: denied,
        error_message: 'You have no device that is accepted here.',
      });
      expect(await isSignedIn(browser)).toBe(false);
    });

    test('include those whose device is of a class that is not accepted', async () => {
      const user = await personWithPassword(server());
      await giveApp(server(), user.username);
      const settings = { not_configured_action: 'deny', device_classes: ['static'] };
      expect((await signIn(settings, user.username)).asked.body.component).toBe(denied);
    });

    test('are sent to the only setup stage, and sign in with the device they set up', async () => {
      const user = await personWithPassword(server());
      const { app } = await setups();
      const settings = { not_configured_action: 'configure', configuration_stages: [app] };
      const { slug, browser, asked } = await signIn(settings, user.username);
      expect(asked.body.component).toBe(totp);
      expect(await isSignedIn(browser)).toBe(false);
      expect((await browser.answer(slug, { code: 1 })).body.component).toBe(totp);
      const phone = appFrom(server(), browser, asked.body.config_url);
      expect((await browser.answer(slug, { code: phone.code() })).body.component).toBe(redirect);
      expect(await isSignedIn(browser)).toBe(true);
      expect((await browser.get('/authenticators/all/')).body).toHaveLength(1);
    });

    test('choose among the setup stages that lead to an accepted device', async () => {
      const user = await personWithPassword(server());
      const { app, codes } = await setups();
      const login = await made(server(), '/stages/user_login/', { name: unique('login') });
      const configuration_stages = [app, codes, login.pk];
      const settings = { not_configured_action: 'configure', configuration_stages };
      const { slug, browser, asked } = await signIn(settings, user.username);
      expect(asked.body).toMatchObject({ component: validate, device_challenges: [] });
      const offered = asked.body.configuration_stages as { pk: string; verbose_name: string }[];
      expect(new Set(offered.map(({ pk }) => pk))).toEqual(new Set([app, codes]));
      expect(new Set(offered.map(({ verbose_name }) => verbose_name))).toEqual(
        new Set(['TOTP Authenticator Setup Stage', 'Static Authenticator Setup Stage']),
      );
      for (const selected_stage of [login.pk, unique('none'), '']) {
        expect((await browser.answer(slug, { selected_stage })).body.component).toBe(validate);
      }
      expect((await browser.answer(slug, { code: '123456' })).body.component).toBe(validate);
      expect(await isSignedIn(browser)).toBe(false);
      expect((await browser.answer(slug, { selected_stage: codes })).body.component).toBe(list);
      expect((await browser.answer(slug, { component: list })).body.component).toBe(redirect);
      expect(await isSignedIn(browser)).toBe(true);
    });

    test('are denied where there is no setup stage', async () => {
      const user = await personWithPassword(server());
      const dummy = await made(server(), '/stages/dummy/', { name: unique('dummy') });
      const settings = { not_configured_action: 'configure', configuration_stages: [dummy.pk] };
      const { browser, asked } = await signIn(settings, user.username);
      expect(asked.body.component).toBe(denied);
      expect(await isSignedIn(browser)).toBe(false);
    });

    test('are not offered setup stages of classes that are not accepted', async () => {
      const user = await personWithPassword(server());
      const { app, codes } = await setups();
      const settings = {
        not_configured_action: 'configure',
        configuration_stages: [app, codes],
        device_classes: ['static'],
      };
      expect((await signIn(settings, user.username)).asked.body.component).toBe(list);
    });

    test('must use their device of another class before they set up an accepted one', async () => {
      const user = await personWithPassword(server());
      const [code = ''] = await giveCodes(server(), user.username);
      const { app } = await setups();
      const settings = { not_configured_action: 'configure', configuration_stages: [app], device_classes: ['totp'] };
      const { slug, browser, asked } = await signIn(settings, user.username);
      expect(asked.body).toMatchObject({ component: validate, device_challenges: [{ device_class: 'static' }] });
      expect((await browser.answer(slug, { code: 'wrong' })).body.component).toBe(validate);
      const shown = await browser.answer(slug, { code });
      expect(shown.body.component).toBe(totp);
      expect(await isSignedIn(browser)).toBe(false);
      const phone = appFrom(server(), browser, shown.body.config_url);
      expect((await browser.answer(slug, { code: phone.code() })).body.component).toBe(redirect);
      expect(await isSignedIn(browser)).toBe(true);
    });

    test('can set up several devices one after the other', async () => {
      const user = await personWithPassword(server());
      const { slug } = await makeWalk(server(), [
        ['identification', { user_fields: ['username'] }],
        ['password', { backends }],
        ['authenticator/totp', { digits: '6' }],
        ['authenticator/static'],
        ['user_login'],
      ]);
      const browser = openBrowser(server());
      await browser.show(slug);
      await browser.answer(slug, { uid_field: user.username });
      const { body } = await browser.answer(slug, { password });
      const phone = appFrom(server(), browser, body.config_url);
      expect((await browser.answer(slug, { code: phone.code() })).body.component).toBe(list);
      await browser.answer(slug, { component: list });
      expect((await browser.get('/authenticators/all/')).body).toHaveLength(2);
    });

    test('cannot be sent to set up a device by a stage without setup stages', async () => {
      const answer = await server().admin.post('/stages/authenticator/validate/', {
        name: unique('validate'),
        not_configured_action: 'configure',
      });
      expect(answer.status).toBe(400);
      expect(Object.keys(answer.body)).toEqual(['not_configured_action']);
    });
  },
  { clock: stillClock() },
);
