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
    await page.getByRole('link', { name: 'Go to groups of administrators' }).click();
    await page.getByRole('link', { name: 'Gatehouse Admins' }).waitFor();
    await page.waitForLoadState('networkidle');
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
