import { afterAll, beforeEach, expect, test } from 'vitest';
import { quiet, until } from '../support/jobs.ts';
import { describeJourney, signInOn, whoIs } from '../support/journey.ts';
import { makeWalk, unique } from '../support/make-walk.ts';
import { startMailReceiver } from '../support/receivers.ts';
import { linkIn, makeRecovery } from '../support/recovery.ts';

const mail = await startMailReceiver();
beforeEach(() => {
  mail.mails.length = 0;
});
afterAll(() => mail.close());

const env = {
  GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.0/8',
  GATEHOUSE_SMTP_URL: mail.url,
  GATEHOUSE_SMTP_FROM: 'gatehouse@example.com',
};

describeJourney(
  'a forgotten password',
  (journey) => {
    test('is replaced by way of a link that comes by mail', async () => {
      const { server } = journey();
      const recovery = await makeRecovery(server, {}, { title: 'Choose a new password' });
      const signIn = await makeWalk(
        server,
        [['identification', { user_fields: ['username', 'email'], recovery_flow: recovery.pk }]],
        { designation: 'authentication' },
      );
      const email = `${unique('ada')}@example.org`;
      const { username } = await server.user([], { email });
      const page = await journey().window();
      await page.goto(`/if/flow/${signIn.slug}/?next=/if/user/tokens/`);
      await page.getByRole('link', { name: 'Forgot your password?' }).click();
      await page.getByRole('heading', { name: 'Find your account' }).waitFor();
      await page.waitForURL(`**/if/flow/${recovery.slug}/?next=*`);
      await page.getByLabel('Username or email address').fill(email);
      await page.keyboard.press('Enter');
      await page.getByText('an email with a link is on its way').waitFor();
      await until(() => mail.mails.length === 1);
      const again = page.getByRole('button', { name: 'Send it again' });
      await again.click();
      await page.getByText('It has been sent again.').waitFor();
      await until(async () => {
        await again.click();
        return page.getByRole('alert').filter({ hasText: 'Please wait' }).isVisible();
      });
      await quiet(server);

      const { pathname, search } = linkIn(mail);
      const phone = await journey().window({ viewport: { width: 360, height: 700 } });
      await phone.goto(`${pathname}${search}`);
      await phone.getByRole('button', { name: 'Continue' }).click();
      await phone.getByLabel('password', { exact: true }).fill('a new password');
      await phone.getByLabel('again').fill('a new password');
      await phone.keyboard.press('Enter');
      await phone.waitForURL('**/if/user/**');
      expect(await whoIs(phone)).toBe(username);

      const other = await journey().window();
      await other.goto(`${pathname}${search}`);
      await other.getByText('This link is invalid or expired.').waitFor();
      await other.goto('/');
      await signInOn(other, username, 'a new password');
      await other.waitForURL('**/if/user/');
    });
  },
  { env },
);
