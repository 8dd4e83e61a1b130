import { afterAll, beforeEach, expect, test } from 'vitest';
import { signInFlow } from '../support/flow-client.ts';
import { describeJourney, signInOn, whoIs } from '../support/journey.ts';
import { makeWalk } from '../support/make-walk.ts';
import { password, personWithPassword } from '../support/second-factor.ts';
import type { TestServer } from '../support/server.ts';
import { json, loopbackAllowed, startService } from '../support/service.ts';

const service = await startService();
afterAll(() => service.close());
beforeEach(() => {
  service.requests.length = 0;
});

/** A flow that signs people in and then asks for their phone; who has none sets one up on the way. */
async function walkWithPhone(server: TestServer, deviceClass: string, settings: Record<string, unknown>) {
  const setUp = await makeWalk(server, [[`authenticator/${deviceClass}`, settings]]);
  return makeWalk(
    server,
    [
      ['identification', { user_fields: ['username'] }],
      ['password', { backends: ['svc.core.auth.InbuiltBackend'] }],
      [
        'authenticator/validate',
        { device_classes: [deviceClass], not_configured_action: 'configure', configuration_stages: setUp.stages },
      ],
      ['user_login'],
    ],
    { designation: 'authentication' },
  );
}

const pushSettings = { client_id: 'application', client_secret: 'a secret', api_hostname: service.url };

/** Makes the service one that activates this phone and answers the rest as told. */
function servePush(user_id: string, told: Record<string, () => unknown>): void {
  const activation = { user_id, username: 'x', activation_code: 'duo://activate' };
  const answers: Record<string, () => unknown> = {
    '/auth/v2/enroll': () => ({ ...activation, activation_barcode: '/static/favicon.svg' }),
    ...told,
  };
  service.answer = ({ path }) => json({ stat: 'OK', response: answers[path.split('?')[0] ?? '']?.() });
}

describeJourney(
  'phones',
  (journey) => {
    const begin = async (slug: string, username: string) => {
      const page = await journey().window();
      await page.goto(`/if/flow/${slug}/`);
      await page.getByLabel('Username').fill(username);
      await page.keyboard.press('Enter');
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.keyboard.press('Enter');
      return page;
    };

    test('get codes in messages, first for enrolment and then to sign in', async () => {
      const { server } = journey();
      service.answer = () => json({});
      const codeSent = () => /: (\d{6})$/.exec(JSON.parse(service.requests.at(-1)?.body ?? '{}').Body)?.[1] ?? '';
      const walk = await walkWithPhone(server, 'sms', {
        provider: 'generic',
        from_number: '+15550100',
        account_sid: `${service.url}/messages`,
        auth: 'a token',
        auth_type: 'bearer',
      });
      const { username } = await personWithPassword(server);
      const page = await begin(walk.slug, username);
      await page.getByLabel('Phone number').fill('12');
      await page.keyboard.press('Enter');
      await page.locator('[aria-invalid=true]').waitFor();
      await page.getByLabel('Phone number').fill('+49 151 2345678');
      await page.getByRole('button', { name: 'Send a code' }).click();
      await page.getByLabel('Code').waitFor();
      await page.getByLabel('Code').fill(codeSent());
      await page.keyboard.press('Enter');
      await page.waitForURL('**/if/user/');

      const again = await begin(walk.slug, username);
      await again.getByRole('button', { name: /^Text message/ }).click();
      await again.getByLabel('Code').waitFor();
      await again.getByLabel('Code').waitFor();
      await again.getByLabel('Code').fill(codeSent());
      await again.keyboard.press('Enter');
      await again.waitForURL('**/if/user/');
      expect(await whoIs(again)).toBe(username);
    });

    test('are prompted by a push service, and can refuse', async () => {
      const { server } = journey();
      let verdict = { result: 'deny', status: 'deny', status_msg: 'Denied.' };
      let status = 'waiting';
      servePush('U7', { '/auth/v2/enroll_status': () => status, '/auth/v2/auth': () => verdict });
      const walk = await walkWithPhone(server, 'twofactor', pushSettings);
      const { username } = await personWithPassword(server);
      const page = await begin(walk.slug, username);
      await page.getByRole('img', { name: /QR code/ }).waitFor();
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('alert').filter({ hasText: 'not activated yet' }).waitFor();
      status = 'success';
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.waitForURL('**/if/user/');

      const again = await begin(walk.slug, username);
      await again.getByRole('button', { name: 'Send the message' }).click();
      await again.getByRole('alert').waitFor();
      verdict = { result: 'allow', status: 'allow', status_msg: 'Success.' };
      await again.getByRole('button', { name: 'Send the message' }).click();
      await again.waitForURL('**/if/user/');
      expect(await whoIs(again)).toBe(username);
    });

    test('end the setup on the page once they are activated', async () => {
      const { server } = journey();
      let status = 'waiting';
      servePush('U8', { '/auth/v2/enroll_status': () => status });
      const setUp = await makeWalk(server, [['authenticator/twofactor', pushSettings]]);
      const { username } = await personWithPassword(server);
      const page = await journey().window();
      await page.goto(`/if/flow/${signInFlow}/?next=/if/flow/${setUp.slug}/`);
      await signInOn(page, username, password);
      await page.getByRole('img', { name: /QR code/ }).waitFor();
      status = 'success';
      await page.waitForURL('**/if/user/**');
    });
  },
  { env: loopbackAllowed },
);
