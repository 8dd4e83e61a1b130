import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openBrowser, signInFlow } from '../support/flow-client.ts';
import { makeWalk } from '../support/make-walk.ts';
import {
  giveApp,
  giveCodes,
  isSignedIn,
  password,
  pastPassword,
  personWithPassword,
  stillClock,
} from '../support/second-factor.ts';
import { describeOnSqlite } from '../support/server.ts';

const validate = 'xak-stage-authenticator-validate';
const denied = 'xak-stage-access-denied';
const backends = ['svc.core.auth.InbuiltBackend'];
const setupFlows = ['totp', 'static', 'webauthn'].map((kind) => `default-authenticator-${kind}-setup`);
/** Every stage in which people get a device. The services behind the last two are never asked. */
const setups = [
  ['authenticator/totp', { digits: '6' }],
  ['authenticator/static', {}],
  ['authenticator/webauthn', {}],
  ['authenticator/sms', { provider: 'twilio', from_number: 'x', account_sid: 'x', auth: 'x' }],
  ['authenticator/twofactor', { client_id: 'x', client_secret: 'x', api_hostname: 'push.example.com' }],
] as const;
const identification = ['identification', { user_fields: ['username'] }] as const;

describeOnSqlite(
  'bypassing the second factor',
  (server) => {
    const withApp = async () => {
      const user = await personWithPassword(server());
      return { user, app: await giveApp(server(), user.username) };
    };
    const devices = async (user: number) => {
      const { rows } = await sql`select pk from devices where "user" = ${user}`.execute(server().world.db.read);
      return rows.length;
    };

    test('the password alone neither signs in nor sets up another device', async () => {
      const { user } = await withApp();
      const { browser } = await pastPassword(server(), user.username);
      for (const setup of setupFlows) {
        expect((await browser.show(setup)).body.component).toBe(denied);
        const answer = await browser.answer(setup, { component: 'xak-stage-authenticator-static', code: 1 });
        expect(answer.body.component).toBe(denied);
      }
      expect(await isSignedIn(browser)).toBe(false);
      expect(await devices(user.pk)).toBe(1);
    });

    test.each(setups)(
      'a flow that sets up %s before validation does not let people skip a device that they have',
      async (...setup) => {
        const { user } = await withApp();
        const { slug } = await makeWalk(server(), [
          identification,
          ['password', { backends }],
          setup,
          ['authenticator/validate'],
          ['user_login'],
        ]);
        const browser = openBrowser(server());
        await browser.show(slug);
        await browser.answer(slug, { uid_field: user.username });
        expect((await browser.answer(slug, { password })).body.component).toBe(denied);
        expect(await isSignedIn(browser)).toBe(false);
        expect(await devices(user.pk)).toBe(1);
      },
    );

    test('a second factor does not replace the password', async () => {
      const { user, app } = await withApp();
      const flow = await makeWalk(server(), [
        identification,
        ['authenticator/validate'],
        ['password', { backends }],
        ['user_login'],
      ]);
      const policy = (await server().admin.get('/policies/expression/?name=default-authentication-flow-password-stage'))
        .body.results[0].pk;
      const bound = { target: flow.bindings[2]?.target, policy, order: 0 };
      expect((await server().admin.post('/policies/bindings/', bound)).status).toBe(201);
      const browser = openBrowser(server());
      await browser.show(flow.slug);
      await browser.answer(flow.slug, { uid_field: user.username });
      const { body } = await browser.answer(flow.slug, { code: app.code() });
      expect(body.component).toBe('xak-stage-password');
      expect(await isSignedIn(browser)).toBe(false);
      expect((await browser.answer(flow.slug, { password })).body.component).toBe('xak-flow-redirect');
    });

    test('a proof for one user is not accepted for another user whom the flow switches to', async () => {
      const mine = await withApp();
      const other = await withApp();
      const { slug } = await makeWalk(server(), [
        identification,
        ['password', { backends }],
        ['authenticator/validate'],
        identification,
        ['authenticator/totp', { digits: '6' }],
        ['user_login'],
      ]);
      const browser = openBrowser(server());
      await browser.show(slug);
      await browser.answer(slug, { uid_field: mine.user.username });
      await browser.answer(slug, { password });
      await browser.answer(slug, { code: mine.app.code() });
      const { body } = await browser.answer(slug, { uid_field: other.user.username });
      expect(body.component).toBe(denied);
      expect(await devices(other.user.pk)).toBe(1);
    });

    test('a code sent in one walk does not advance another', async () => {
      const { user, app } = await withApp();
      const first = await pastPassword(server(), user.username);
      const second = await pastPassword(server(), user.username);
      await first.browser.answer(signInFlow, { code: app.code() });
      expect((await second.browser.show(signInFlow)).body.component).toBe(validate);
      expect(await isSignedIn(second.browser)).toBe(false);
    });

    test('an unknown user name gets the same answers as a user without a device', async () => {
      const user = await personWithPassword(server());
      const { slug } = await makeWalk(server(), [
        ['identification', { user_fields: ['username'], pretend_user_exists: true }],
        ['authenticator/validate', { not_configured_action: 'deny' }],
        ['user_login'],
      ]);
      const answers: string[] = [];
      for (const uid_field of [user.username, 'nobody-is-called-so']) {
        const browser = openBrowser(server());
        await browser.show(slug);
        const { body } = await browser.answer(slug, { uid_field });
        // The avatar is drawn from what was typed.
        answers.push(JSON.stringify({ ...body, pending_user_avatar: '' }).replaceAll(uid_field, ''));
      }
      expect(answers[0]).toBe(answers[1]);
      expect(answers[0]).toContain(denied);
    });

    test('an API token sets up no device', async () => {
      const user = await personWithPassword(server());
      const program = openBrowser(server(), { authorization: `Bearer ${user.token}` });
      for (const setup of setupFlows) {
        expect((await program.show(setup)).status).toBe(403);
        const answer = await program.answer(setup, { component: 'xak-stage-authenticator-static' });
        expect(answer.status).toBe(403);
      }
      expect(await devices(user.pk)).toBe(0);
    });

    test('an impersonator sets up no device', async () => {
      const user = await personWithPassword(server());
      const codes = await giveCodes(server(), user.username);
      expect(codes).toHaveLength(6);
      const admin = await personWithPassword(server());
      const groups = (await server().admin.get('/core/groups/?is_superuser=true')).body.results as { pk: string }[];
      await server().admin.post(`/core/groups/${groups[0]?.pk}/add_user/`, { pk: admin.pk });
      const { browser } = await pastPassword(server(), admin.username);
      const began = await browser.post(`/core/users/${user.pk}/impersonate/`, { reason: 'help' });
      expect([200, 204]).toContain(began.status);
      expect((await browser.get('/core/users/me/')).body.user.pk).toBe(user.pk);
      expect((await browser.show('default-authenticator-totp-setup')).body.component).toBe(denied);
      expect(await devices(user.pk)).toBe(1);
    });
  },
  { clock: stillClock() },
);
