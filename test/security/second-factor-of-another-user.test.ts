import { expect, test } from 'vitest';
import { signInFlow } from '../support/flow-client.ts';
import {
  giveApp,
  giveCodes,
  isSignedIn,
  pastPassword,
  personWithPassword,
  stillClock,
} from '../support/second-factor.ts';
import { describeOnSqlite } from '../support/server.ts';

const validate = 'xak-stage-authenticator-validate';

describeOnSqlite(
  'devices of one user in the flow of another',
  (server) => {
    const person = async () => {
      const user = await personWithPassword(server());
      const app = await giveApp(server(), user.username);
      const [device] = (await user.api.get('/authenticators/totp/')).body.results;
      return { ...user, app, device };
    };

    test('a code of another user’s app is refused, and is not used up', async () => {
      const victim = await person();
      const attacker = await person();
      const { browser } = await pastPassword(server(), victim.username);
      const code = attacker.app.code();
      expect((await browser.answer(signInFlow, { code })).body.component).toBe(validate);
      expect(await isSignedIn(browser)).toBe(false);
      const own = await pastPassword(server(), attacker.username);
      expect((await own.browser.answer(signInFlow, { code })).body.component).toBe('xak-flow-redirect');
    });

    test('a code of another user’s app is refused when the answer names that device', async () => {
      const victim = await person();
      const attacker = await person();
      const { browser } = await pastPassword(server(), victim.username);
      const selected_challenge = { device_class: 'totp', device_uid: String(attacker.device.pk), challenge: {} };
      const { body } = await browser.answer(signInFlow, { selected_challenge, code: attacker.app.code() });
      expect(body).toMatchObject({
        component: validate,
        response_errors: { selected_challenge: [{ string: 'Invalid device' }] },
      });
      expect(body.device_challenges).toHaveLength(1);
      expect(await isSignedIn(browser)).toBe(false);
    });

    test('a recovery code of another user is refused, and is not used up', async () => {
      const victim = await personWithPassword(server());
      await giveCodes(server(), victim.username);
      const attacker = await personWithPassword(server());
      const [code] = await giveCodes(server(), attacker.username);
      const { browser } = await pastPassword(server(), victim.username);
      expect((await browser.answer(signInFlow, { code })).body.component).toBe(validate);
      const own = await pastPassword(server(), attacker.username);
      expect((await own.browser.answer(signInFlow, { code })).body.component).toBe('xak-flow-redirect');
    });
  },
  { clock: stillClock() },
);
