import type { Page } from 'playwright-core';
import qrcode from 'qrcode-generator';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { visitAdmin } from '../support/admin-visit.ts';
import { quiet } from '../support/jobs.ts';
import { describeJourney, whoIs } from '../support/journey.ts';
import { unique } from '../support/make-walk.ts';
import { startMailReceiver } from '../support/receivers.ts';
import { readMails } from '../support/recovery.ts';

const mail = await startMailReceiver();
afterAll(() => mail.close());
beforeEach(() => {
  mail.mails.length = 0;
});

const env = { GATEHOUSE_SMTP_URL: mail.url, GATEHOUSE_SMTP_FROM: 'gatehouse@example.com' };
const password = 'vorhang-ambra-9-quitte-tausch';

/** The path and query of the link in the only mail. */
function linkIn(name: string): string {
  expect(mail.mails).toHaveLength(1);
  const [link = ''] = new RegExp(`https?://\\S+${name}=[A-Za-z0-9]+`).exec(readMails(mail)[0] ?? '') ?? [];
  const { pathname, search } = new URL(link);
  return pathname + search;
}

/** How many dark squares the QR code of a text has. */
function darkSquaresOf(text: string): number {
  const code = qrcode(0, 'M');
  code.addData(text);
  code.make();
  const places = Array.from({ length: code.getModuleCount() }, (_, at) => at);
  return places.flatMap((row) => places.filter((column) => code.isDark(row, column))).length;
}

async function choosePassword(page: Page, labelled: string): Promise<void> {
  for (const label of [labelled, `${labelled} (repeat)`]) await page.getByLabel(label, { exact: true }).fill(password);
  await page.keyboard.press('Enter');
  await page.waitForURL('**/if/user/**');
}

describeJourney(
  'the admin pages of people send',
  (journey) => {
    test('an invitation, whose link makes the account', async () => {
      const { server } = journey();
      const email = `${unique('frida')}@example.com`;
      const page = await visitAdmin(journey(), '/core/users/?dialog=invite');
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('Frida');
      await dialog.getByLabel('Email').fill(email);
      await dialog.getByRole('button', { name: 'Create an invitation' }).click();
      const link = await dialog.getByText(/itoken=/).innerText();
      const drawn = await dialog.getByRole('img', { name: 'The link as a QR code' }).locator('path').getAttribute('d');
      expect(drawn?.match(/M/g)).toHaveLength(darkSquaresOf(link));
      await dialog.getByRole('button', { name: 'Send it by mail' }).click();
      await dialog.getByText(`The invitation is on its way to ${email}.`).waitFor();
      await quiet(server);
      const invited = await journey().window();
      await invited.goto(linkIn('itoken'));
      const username = unique('frida');
      await invited.getByLabel('Username', { exact: true }).fill(username);
      await choosePassword(invited, 'Password');
      expect(await whoIs(invited)).toBe(username);
      const { results } = (await server.admin.get(`/core/users/?username=${username}`)).body;
      expect(results).toMatchObject([{ email, name: 'Frida', is_active: true }]);
      const left = await server.admin.get('/stages/invitation/invitations/?search=frida');
      expect(left.body.results).toEqual([]);
      await page.waitForLoadState('networkidle');
    });

    test('a test mail to whoever asks for one', async () => {
      const { admin } = journey().server;
      const { pk } = (await admin.get('/core/users/me/')).body.user;
      const email = `${unique('admin')}@example.com`;
      await admin.patch(`/core/users/${pk}/`, { email });
      const page = await visitAdmin(journey(), '/');
      const health = page.getByRole('region', { name: 'Health' });
      await health.getByRole('button', { name: 'Send a test mail' }).click();
      await health.getByText(`A mail was sent to ${email}.`).waitFor();
      expect(mail.mails).toMatchObject([{ to: [email] }]);
      await page.waitForLoadState('networkidle');
    });

    test('a recovery link, by which the person chooses a password', async () => {
      const { server } = journey();
      const turnRecovery = (is_on: boolean) => server.admin.put('/flows/ready_made/recovery/', { is_on });
      await turnRecovery(false);
      const dana = await server.user([], { username: unique('dana'), email: `${unique('dana')}@example.com` });
      const page = await visitAdmin(journey(), `/core/users/${dana.pk}/`);
      const actions = page.getByText('Actions', { exact: true });
      await actions.click();
      await page.getByRole('button', { name: 'Recovery link…' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Create a link' }).click();
      await page.getByText('Recovery is off. Turn on “Password recovery” in the list of flows').waitFor();
      expect((await turnRecovery(true)).status).toBe(200);
      await page.getByRole('dialog').getByRole('button', { name: 'Create a link' }).click();
      await page
        .getByRole('dialog')
        .getByText(/flow_token=\w+/)
        .waitFor();
      await page.keyboard.press('Escape');
      await actions.click();
      await page.getByRole('button', { name: 'Send a recovery link by mail…' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).click();
      await page.getByText('A link is on its way to').waitFor();
      await quiet(server);
      const owner = await journey().window();
      await owner.goto(linkIn('flow_token'));
      await owner.getByRole('button', { name: 'Continue' }).click();
      await choosePassword(owner, 'New password');
      expect(await whoIs(owner)).toBe(dana.username);
      const { results } = (await server.admin.get('/events/events/?action=email_sent')).body;
      expect(results[0]).toMatchObject({ user: { username: 'admin' }, context: { model: { name: dana.username } } });
      await page.waitForLoadState('networkidle');
    });
  },
  { env },
);
