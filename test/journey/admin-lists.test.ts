import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { moveTo, openAdmin, visitAdmin } from '../support/admin-visit.ts';
import { describeJourney } from '../support/journey.ts';
import { unique } from '../support/make-walk.ts';

/** Holds back the answers to requests with this text in their address until they are released. */
async function holdBack(page: Page, text: string) {
  const release = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  await page.route(
    (url) => decodeURIComponent(url.href).includes(text),
    async (route) => {
      arrived.resolve();
      await release.promise;
      await route.fallback();
    },
  );
  return { arrived: arrived.promise, release: release.resolve };
}

describeJourney('lists of the admin pages', (journey) => {
  const makeGroup = async (name: string) =>
    (await journey().server.admin.post('/core/groups/', { name })).body as { pk: string; name: string };

  test('show the columns and as many rows as one chooses, also when they are opened again', async () => {
    const { admin } = journey().server;
    const prefix = unique('many');
    const writes = Array.from({ length: 21 }, (_, at) => admin.post('/core/groups/', { name: `${prefix}-${at}` }));
    for (const { status } of await Promise.all(writes)) expect(status).toBe(201);
    const page = await visitAdmin(journey(), `/core/groups/?search=${prefix}`);
    const headings = () => page.getByRole('columnheader').allInnerTexts();
    await page.getByRole('table').waitFor();
    expect(await headings()).toContain('Roles');
    await page.locator('summary', { hasText: 'Columns' }).click();
    await page.getByRole('group', { name: 'Columns' }).getByLabel('Roles').uncheck();
    await expect.poll(headings).not.toContain('Roles');
    await page.getByRole('combobox', { name: 'Rows on a page' }).selectOption('20 on a page');
    await expect.poll(() => page.getByRole('rowheader').count()).toBe(20);
    await openAdmin(page, `/core/groups/?search=${prefix}&page_size=20`);
    await expect.poll(() => page.getByRole('rowheader').count()).toBe(20);
    expect(await headings()).not.toContain('Roles');
    await page.locator('summary', { hasText: 'Columns' }).click();
    await page.getByRole('button', { name: 'Reset to the usual columns' }).click();
    await expect.poll(headings).toContain('Roles');
    await page.waitForLoadState('networkidle');
  });

  test('save what they show as views, which follow the administrator to another browser', async () => {
    const prefix = unique('view');
    for (const name of [`${prefix}-b`, `${prefix}-a`]) await makeGroup(name);
    const page = await visitAdmin(journey(), `/core/groups/?search=${prefix}&ordering=-name`);
    const shown = (window: Page) => window.getByRole('rowheader').allInnerTexts();
    await expect.poll(() => shown(page)).toEqual([`${prefix}-b`, `${prefix}-a`]);
    await page.locator('summary', { hasText: 'Columns' }).click();
    await page.getByRole('group', { name: 'Columns' }).getByLabel('Roles').uncheck();
    await page.locator('summary', { hasText: 'Saved views' }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Name of the view').fill('Backwards');
    await page.keyboard.press('Enter');
    const links = (window: Page) => window.getByRole('navigation', { name: 'Saved views' });
    const link = (window: Page, name: string) => links(window).getByRole('link', { name, exact: true });
    await expect.poll(() => link(page, 'Backwards').getAttribute('aria-current')).toBe('true');

    const other = await visitAdmin(journey(), '/core/groups/');
    const headings = () => other.getByRole('columnheader').allInnerTexts();
    expect(await headings()).toContain('Roles');
    await link(other, 'Backwards').click();
    await expect.poll(() => shown(other)).toEqual([`${prefix}-b`, `${prefix}-a`]);
    expect(await headings()).not.toContain('Roles');
    await other.keyboard.press('Control+k');
    await other.getByRole('combobox', { name: 'Pages, objects and actions' }).fill('backw');
    await other.getByRole('option', { name: 'Backwards' }).waitFor();
    await other.keyboard.press('Escape');

    // Renamed, with another search; then it is deleted.
    await other.getByLabel('Search', { exact: true }).fill(`${prefix}-a`);
    await expect.poll(() => shown(other)).toEqual([`${prefix}-a`]);
    await other.locator('summary', { hasText: 'Saved views' }).click();
    await other.getByLabel('Name of the view').fill('One');
    await other.getByRole('button', { name: 'Save changes' }).click();
    await link(other, 'One').waitFor();
    await openAdmin(page, '/core/groups/');
    await link(page, 'One').click();
    await expect.poll(() => shown(page)).toEqual([`${prefix}-a`]);
    await page.locator('summary', { hasText: 'Saved views' }).click();
    await page.getByRole('button', { name: 'Delete view' }).click();
    await links(page).waitFor({ state: 'detached' });
    expect((await journey().server.admin.get('/admin/interface/')).body.views).toEqual([]);
    for (const window of [page, other]) await window.waitForLoadState('networkidle');
  });

  test('save the users who have not signed in for 90 days, whatever the day', async () => {
    const page = await visitAdmin(journey(), '/core/users/');
    await page.getByRole('link', { name: 'Has not signed in for 90 days' }).click();
    await page.getByRole('link', { name: '✓ Has not signed in for 90 days' }).waitFor();
    await page.locator('summary', { hasText: 'Saved views' }).click();
    await page.getByLabel('Name of the view').fill('Dormant');
    await page.getByRole('button', { name: 'Save view' }).click();
    const view = page.getByRole('navigation', { name: 'Saved views' }).getByRole('link', { name: 'Dormant' });
    await view.waitFor();
    const { views } = (await journey().server.admin.get('/admin/interface/')).body;
    expect(views[0].query).toBe('not_signed_in_since=P90D');
    await openAdmin(page, '/core/users/');
    await view.click();
    await page.getByRole('link', { name: '✓ Has not signed in for 90 days' }).waitFor();
    expect((await journey().server.admin.delete(`/admin/views/${views[0].pk}/`)).status).toBe(204);
    await page.waitForLoadState('networkidle');
  });

  test('show what the address asks for, also when an earlier answer arrives late', async () => {
    const [first, second] = [unique('early'), unique('late')];
    await makeGroup(`${first} one`);
    await makeGroup(`${first} two`);
    await makeGroup(second);
    const page = await visitAdmin(journey(), `/core/groups/?search=${first}`);
    await page.getByRole('checkbox', { name: `Choose ${first} one` }).check();
    await page.getByRole('button', { name: 'Delete…' }).click();
    const slow = await holdBack(page, `search=${first}`);
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await slow.arrived;
    await page.getByLabel('Search', { exact: true }).fill(second);
    await page.getByRole('link', { name: second }).waitFor();
    const answered = page.waitForResponse((response) => decodeURIComponent(response.url()).includes(`search=${first}`));
    slow.release();
    await (await answered).finished();
    await page.waitForLoadState('networkidle');
    expect(await page.getByRole('rowheader').allInnerTexts()).toEqual([second]);
  });

  test('are read again when one returns to a list that one left before it was there', async () => {
    const name = unique('later');
    const page = await visitAdmin(journey(), '/everything/');
    const slow = await holdBack(page, 'document=/rbac/roles/');
    const go = (address: string) =>
      page.evaluate(
        `history.pushState({ isMove: true }, '', '/if/admin${address}'); dispatchEvent(new PopStateEvent('popstate'))`,
      );
    await go('/rbac/roles/');
    await slow.arrived;
    await go('/everything/');
    const answered = page.waitForResponse((response) => decodeURIComponent(response.url()).includes('/rbac/roles/'));
    slow.release();
    await (await answered).finished();
    await page.waitForLoadState('networkidle');
    expect((await journey().server.admin.post('/rbac/roles/', { name })).status).toBe(201);
    await moveTo(page, '/rbac/roles/');
    await page.getByRole('link', { name }).waitFor();
  });

  test('of events show another page while new events are followed', async () => {
    const { admin } = journey().server;
    const action = `custom_${unique('often').replace('-', '_')}`;
    for (let at = 10; at < 70; at += 1)
      await admin.post('/events/events/', { action, app: 'test', context: { message: `Number ${at}.` } });
    const page = await visitAdmin(journey(), `/events/events/?action=${action}&live=true`);
    await page.getByText('Following: 0 new events.').waitFor();
    await page.getByRole('link', { name: 'Next' }).click();
    await page.getByText('Page 2 of 2').waitFor();
    await page.getByText('Number 10.').waitFor();
    await admin.post('/events/events/', { action, app: 'test', context: { message: 'Number 70.' } });
    await page.goBack();
    await page.getByText('Number 70.').waitFor();
    await page.goForward();
    await page.getByText('Number 10.').waitFor();
    expect(new URL(page.url()).searchParams.has('live')).toBe(false);
    expect(await page.locator('.event-sentence').count()).toBe(11);
    await page.waitForLoadState('networkidle');
  });

  test('of events follow what is asked for, also when an earlier answer arrives late', async () => {
    const { admin } = journey().server;
    const [first, second] = ['first', 'second'].map((one) => `custom_${unique(one).replace('-', '_')}`);
    const make = (action: string | undefined, message: string) =>
      admin.post('/events/events/', { action, app: 'test', context: { message } });
    await make(second, 'Of the second.');
    const page = await visitAdmin(journey(), `/events/events/?action=${first}&live=true`);
    await make(first, 'Of the first.');
    const slow = await holdBack(page, `action=${first}&created__gte`);
    await slow.arrived;
    await page.evaluate(
      `history.pushState({ isMove: true }, '', '/if/admin/events/events/?action=${second}&live=true');
      dispatchEvent(new PopStateEvent('popstate'))`,
    );
    await page.getByText('Of the second.').waitFor();
    const answered = page.waitForResponse((response) => response.url().includes(`action=${first}&created__gte`));
    slow.release();
    await (await answered).finished();
    await page.waitForLoadState('networkidle');
    expect(await page.locator('.event-sentence').count()).toBe(1);
  });
});
