import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { pick } from '../support/admin-form.ts';
import { moveTo, openAdmin, visitAdmin } from '../support/admin-visit.ts';
import { describeJourney } from '../support/journey.ts';
import { bindExpression, made, unique } from '../support/make-walk.ts';
import { makeApplication } from '../support/providers.ts';

describeJourney('admin pages of objects with very many others', (journey) => {
  const rows = (page: Page) => page.getByRole('main').locator('ul.rows > li, ol.rows > li').count();

  test('offer what is called as typed, whatever sorts before it', async () => {
    const { server } = journey();
    const name = unique('staff');
    for (let at = 10; at < 32; at += 1) await made(server, '/core/groups/', { name: `Alpha ${at} ${name}` });
    await made(server, '/core/groups/', { name });
    const dana = await server.user();
    const page = await visitAdmin(journey(), `/core/users/${dana.pk}/?tab=groups`);
    await pick(page, 'Add to a group', name);
    await page.getByRole('list', { name: 'Groups' }).getByRole('link', { name, exact: true }).waitFor();
    await page.keyboard.press('Control+k');
    const search = page.getByRole('dialog', { name: 'Search' });
    await search.getByRole('combobox').fill(name);
    await search.getByRole('option', { name: 'Alpha 10' }).waitFor();
    expect(await search.getByRole('option').first().innerText()).toMatch(new RegExp(`^${name}\\s`));
  });

  test('name every member of a group with 250', async () => {
    const { server } = journey();
    const users: number[] = [];
    const prefix = unique('member');
    for (let at = 0; at < 250; at += 1)
      users.push((await made(server, '/core/users/', { username: `${prefix}-${at}`, name: '' })).pk);
    const group = await made(server, '/core/groups/', { name: unique('crowd'), users });
    const page = await visitAdmin(journey(), `/edit/core/groups/${group.pk}/`);
    const chips = page.locator('[data-field="users"] .tags > li');
    await expect.poll(() => chips.count()).toBe(250);
    await expect.poll(() => chips.filter({ hasText: prefix }).count()).toBe(250);
  });

  test('say that there is more than they show, and lead to it', async () => {
    const { server } = journey();
    const dana = await server.user([], { username: unique('dana') });
    for (let at = 0; at < 200; at += 1)
      await made(server, '/core/tokens/', { identifier: unique('key'), user: dana.pk, intent: 'api' });
    const page = await visitAdmin(journey(), `/core/users/${dana.pk}/?tab=tokens`);
    expect(await rows(page)).toBe(100);
    await page.getByRole('link', { name: 'All 201' }).click();
    await page.getByText('201 tokens').waitFor();
    await openAdmin(page, '/system/?tab=tokens');
    expect(await rows(page)).toBe(200);
    await page.getByRole('link', { name: 'Only 200 are shown here.' }).click();
    await page.waitForURL('**/if/admin/core/tokens/');

    const name = unique('group');
    const group = await made(server, '/core/groups/', { name });
    for (let at = 0; at < 30; at += 1) await server.admin.patch(`/core/groups/${group.pk}/`, { attributes: { at } });
    await made(server, '/core/groups/', { name: `${name} other` });
    await openAdmin(page, `/core/groups/${group.pk}/?tab=changes`);
    expect(await rows(page)).toBe(25);
    await page.getByRole('link', { name: 'All 31' }).click();
    await page.getByText('31 events').waitFor();
    await page.getByText(`Group ${name}`, { exact: true }).waitFor();
    await page.getByRole('button', { name: `Remove the filter Group ${name}` }).click();
    await expect.poll(() => new URL(page.url()).search).toBe('?period=year');

    const { pk: target, slug } = await makeApplication(server);
    for (let at = 0; at < 101; at += 1)
      await made(server, '/policies/bindings/', { target, user: dana.pk, order: at, enabled: false });
    await bindExpression(server, target, 'return true');
    await openAdmin(page, `/core/applications/${slug}/?tab=access`);
    await page.getByRole('link', { name: 'All 102' }).click();
    await page.getByText('102 policy bindings').waitFor();
  });

  test('turn the pages of the applications that a user may open', async () => {
    const { server } = journey();
    const dana = await server.user();
    const letter = unique('app');
    for (let at = 100; at < 203; at += 1)
      await made(server, '/core/applications/', { name: `${letter} ${at}`, slug: `${letter}-${at}` });
    const page = await visitAdmin(journey(), `/core/users/${dana.pk}/?tab=applications`);
    expect(await rows(page)).toBe(100);
    await page.getByRole('link', { name: 'Next' }).click();
    await page.getByText(`${letter} 202`).first().waitFor();
    await moveTo(page, `/core/users/${dana.pk}/?tab=applications&page=2`);
    await page.getByRole('navigation', { name: 'Parts of this page' }).getByRole('link', { name: 'Consents' }).click();
    await expect.poll(() => new URL(page.url()).search).toBe('?tab=consents');
    await page.waitForLoadState('networkidle');
  });
});
