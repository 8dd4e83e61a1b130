import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { openAdmin, visitAdmin } from '../support/admin-visit.ts';
import { addFailedJob } from '../support/jobs.ts';
import { describeJourney } from '../support/journey.ts';
import { unique } from '../support/make-walk.ts';

interface Item {
  readonly name: string;
  readonly is_dismissed: boolean;
}

describeJourney('the start page of administrators', (journey) => {
  test('shows a superuser figures, troubles and what is left to set up', async () => {
    const { admin } = journey().server;
    const application = { pk: unique('ab'), name: unique('Wiki') };
    const context = { authorized_application: application };
    for (const action of ['authorize_application', 'authorize_application', 'login_failed'])
      await admin.post('/events/events/', { action, app: 'test', context });
    const certificate = unique('short');
    await admin.post('/crypto/certificatekeypairs/generate/', { common_name: certificate, validity_days: 3 });
    const job = unique('failing');
    await addFailedJob(journey().server, job, 'no answer');
    const requests: string[] = [];
    const page = await visitAdmin(journey(), '/');
    page.on('request', (request) => requests.push(new URL(request.url()).pathname));
    await openAdmin(page, '/');
    await page.waitForLoadState('networkidle');
    expect(requests.filter((path) => path.startsWith('/api/'))).toEqual([
      '/api/v3/admin/interface/',
      '/api/v3/admin/overview/',
    ]);
    await page.getByRole('img', { name: 'Sign-ins, failed sign-ins and authorizations by hour' }).waitFor();
    const tile = (name: string) => page.getByRole('listitem').filter({ hasText: name });
    const { body: users } = await admin.get('/core/users/?page_size=1');
    await tile('Users').getByText(String(users.pagination.count), { exact: true }).waitFor();
    await tile('Failed sign-ins in 24 hours').getByText('+1 from the day before').waitFor();
    await page.getByText('As a table').click();
    const rows = page.getByRole('region', { name: 'The chart as a table' }).getByRole('row');
    expect((await rows.last().getByRole('cell').allInnerTexts()).slice(1)).toEqual(['1', '2']);
    expect((await page.locator('.legend li').allTextContents()).slice(1)).toEqual([
      'Failed sign-ins 1',
      'Authorizations 2',
    ]);
    const top = page.getByRole('listitem').filter({ hasText: application.name });
    await top.getByText('2 sign-ins, 1 person').waitFor();
    const troubles = page.getByRole('region', { name: 'Needs attention' }).getByRole('listitem');
    await troubles
      .filter({ has: page.getByRole('link', { name: job }) })
      .getByText('no answer')
      .waitFor();
    await troubles
      .filter({ has: page.getByRole('link', { name: certificate }) })
      .getByText('Certificate expires')
      .waitFor();
    await page.getByRole('region', { name: 'Health' }).getByText('SQLite').waitFor();
    await page.getByRole('button', { name: 'Dismiss: Make a backup' }).click();
    await page.getByRole('button', { name: 'Dismiss: Set up mail' }).click();
    await page.getByRole('button', { name: 'Show 2 dismissed items' }).waitFor();
    const dismissed = async () =>
      (await admin.get('/admin/overview/')).body.checklist
        .filter(({ is_dismissed }: Item) => is_dismissed)
        .map(({ name }: Item) => name);
    expect(await dismissed()).toEqual(['mail', 'backup']);
    await page.getByRole('button', { name: 'Show 2 dismissed items' }).click();
    await page.getByRole('button', { name: 'Dismiss: Make a backup' }).waitFor();
    expect(await dismissed()).toEqual([]);
    const backup = page.getByRole('region', { name: 'Health' });
    await backup.getByText('None seen').waitFor();
    await backup.getByRole('button', { name: 'Back up now…' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('dialog').getByRole('button', { name: 'Download the backup' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^gatehouse-.+\.backup$/);
    const file = await readFile(await download.path());
    expect(gunzipSync(file).toString().slice(0, 60)).toContain('gatehouse-backup');
    await page.getByText('The backup is downloaded.').waitFor();
    await backup.getByText('None seen').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Go to groups of administrators' }).click();
    await page.getByRole('link', { name: 'Gatehouse Admins' }).waitFor();
    await page.waitForLoadState('networkidle');
  });

  test('sets the mail server, and says that a new address waits for a restart', async () => {
    const { admin } = journey().server;
    const page = await visitAdmin(journey(), '/');
    await page.getByRole('link', { name: 'Go to settings' }).first().click();
    await page.getByLabel('Public address').fill('https://id.example.com');
    await page.getByLabel('Host').fill('mail.example.com');
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery');
    await page.getByLabel('Username').fill('gatehouse');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Enter the sender of mails.').waitFor();
    await page.getByLabel('Sender').fill('id@example.com');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Restart it to use the new address.').waitFor();
    await page.getByRole('button', { name: 'Send a test mail' }).waitFor();
    const { body } = await admin.get('/admin/server_settings/');
    expect(body).toMatchObject({
      public_url: 'https://id.example.com',
      smtp_host: 'mail.example.com',
      has_smtp_password: true,
    });
    expect(await page.content()).not.toContain('correct horse battery');

    // A password that somebody else sets meanwhile is none of what was typed.
    await admin.patch('/admin/server_settings/', { smtp_host: 'mx.example.com', smtp_username: '' });
    await admin.patch('/admin/server_settings/', { smtp_username: 'gatehouse' });
    await page.reload();
    await page.getByLabel('Sender').fill('login@example.com');
    await admin.patch('/admin/server_settings/', { smtp_password: 'correct horse battery' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The settings are saved.').waitFor();
    expect((await admin.get('/admin/server_settings/')).body).toMatchObject({
      ...{ smtp_from: 'login@example.com', has_smtp_password: true },
    });
  });

  test('shows a delegate the way to what they may do, and nothing else', async () => {
    const { pk } = await journey().server.user(['svc_core.view_group']);
    const page = await visitAdmin(journey(), '/', { user: pk });
    await page.getByRole('main').getByRole('link', { name: 'Groups' }).waitFor();
    expect(await page.getByRole('heading', { level: 2 }).allInnerTexts()).toEqual(['People', 'System']);
    await page.waitForLoadState('networkidle');
  });

  test('tells a person without rights that there is nothing to administer', async () => {
    const { pk } = await journey().server.user();
    const page = await visitAdmin(journey(), '/', { user: pk });
    await page.getByRole('heading', { name: 'Nothing to administer' }).waitFor();
    expect(await page.getByRole('heading', { level: 2 }).count()).toBe(0);
    await page.waitForLoadState('networkidle');
  });
});
