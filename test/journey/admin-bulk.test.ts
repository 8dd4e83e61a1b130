import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { fillIn } from '../support/admin-form.ts';
import { openAdmin, visitAdmin } from '../support/admin-visit.ts';
import { expectGoodLooks } from '../support/good-looks.ts';
import { describeJourney } from '../support/journey.ts';
import { unique } from '../support/make-walk.ts';

interface Group {
  readonly pk: string;
  readonly name: string;
}

describeJourney('several rows of a list in the admin pages', (journey) => {
  /** Groups whose names begin alike, so that a search finds them alone. */
  async function newGroups(count: number) {
    const prefix = unique('bulk');
    const groups: Group[] = [];
    for (let at = 1; at <= count; at += 1) {
      groups.push((await journey().server.admin.post('/core/groups/', { name: `${prefix}-${at}` })).body);
    }
    return { prefix, groups };
  }
  const read = async ({ pk }: { pk: string }) => (await journey().server.admin.get(`/core/groups/${pk}/`)).body;

  async function chooseAll(page: Page): Promise<void> {
    await page.getByRole('checkbox', { name: 'All on this page' }).check();
  }

  test('are changed together: previewed, with a result for each, as far as each may be', async () => {
    const { server } = journey();
    const { prefix, groups } = await newGroups(3);
    const [first, second, third] = groups as [Group, Group, Group];
    const page = await visitAdmin(journey(), `/core/groups/?search=${prefix}`);
    await chooseAll(page);
    await page.getByRole('button', { name: 'Edit…' }).click();
    expect(page.url()).toContain('dialog=edit');
    const dialog = page.getByRole('dialog', { name: 'Edit 3 groups' });
    await dialog.getByRole('button', { name: 'Preview' }).click();
    await dialog.getByText('Choose a field first.').waitFor();
    await dialog.getByLabel('Field to set').selectOption('parent');
    await fillIn(page, server, 'parent', first.pk);
    await dialog.getByRole('button', { name: 'Preview' }).click();
    // A group cannot be above itself; nothing is written yet.
    const refused = dialog.getByRole('row').filter({ has: page.locator('.bulk-refused') });
    await refused.getByRole('rowheader', { name: first.name }).waitFor();
    expect(await dialog.getByRole('row').count()).toBe(4);
    const changed = dialog.getByRole('row').filter({ hasText: second.name });
    expect((await changed.getByRole('cell').allInnerTexts()).at(-1)).toBe(first.name);
    expect((await read(second)).parent).toBeNull();
    await dialog.getByRole('button', { name: 'Change 3 groups' }).click();
    await dialog.getByText('1 of 3 were refused. The others are done.').waitFor();
    const outcome = (group: Group) =>
      dialog.getByRole('listitem').filter({ hasText: group.name }).locator('.tag').innerText();
    expect([await outcome(second), await outcome(third)]).toEqual(['Done', 'Done']);
    expect(await outcome(first)).toContain('Cannot set group as parent of itself.');
    expect([(await read(first)).parent, (await read(second)).parent, (await read(third)).parent]).toEqual([
      null,
      first.pk,
      first.pk,
    ]);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.waitForLoadState('networkidle');
  });

  test('are put into a group, and deactivated, each with four clicks', async () => {
    const { admin } = journey().server;
    const { groups } = await newGroups(1);
    const [group] = groups as [Group];
    const prefix = unique('leaver');
    const people: { readonly pk: number }[] = [];
    for (const at of [1, 2, 3])
      people.push((await admin.post('/core/users/', { username: `${prefix}-${at}`, name: 'L' })).body);
    const page = await visitAdmin(journey(), `/core/users/?search=${prefix}`);
    await chooseAll(page);
    await page.getByRole('button', { name: 'Add to group…' }).click();
    const joining = page.getByRole('dialog', { name: 'Add 3 users to a group' });
    await joining.getByRole('button', { name: 'Add', exact: true }).click();
    await joining.getByText('Choose a group first.').waitFor();
    await joining.getByRole('combobox', { name: 'Group' }).fill(group.name);
    await joining.getByRole('option', { name: group.name }).click();
    await joining.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('3 users added to the group.').waitFor();
    const keys = people.map(({ pk }) => pk);
    expect((await read(group)).users.toSorted()).toEqual(keys.toSorted());
    await chooseAll(page);
    expect(await page.getByRole('button', { name: 'Activate…', exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Deactivate…' }).click();
    await page.getByRole('dialog', { name: 'Deactivate 3 users?' }).getByRole('button', { name: 'Deactivate' }).click();
    await page.getByText('3 users deactivated.').waitFor();
    for (const pk of keys) expect((await admin.get(`/core/users/${pk}/`)).body.is_active).toBe(false);
    await chooseAll(page);
    await page.getByRole('button', { name: 'Remove from group…' }).click();
    const leaving = page.getByRole('dialog', { name: 'Remove 3 users from a group' });
    await leaving.getByRole('combobox', { name: 'Group' }).fill(group.name);
    await leaving.getByRole('option', { name: group.name }).click();
    await leaving.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('3 users removed from the group.').waitFor();
    expect((await read(group)).users).toEqual([]);
    await page.waitForLoadState('networkidle');
  });

  test('are called by what they connect, where they have no name', async () => {
    const { admin } = journey().server;
    const { pk } = (await admin.get('/flows/instances/default-authentication-flow/')).body;
    const name = 'default-authentication-flow › default-authentication-password (20)';
    const page = await visitAdmin(journey(), `/flows/bindings/?target=${pk}`);
    await page.getByRole('checkbox', { name: `Choose ${name}` }).check();
    await page.getByRole('button', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete 1 flow stage binding?' });
    await dialog.getByText(name, { exact: true }).waitFor();
    expect(await dialog.getByRole('button').allInnerTexts()).toEqual(['Cancel', 'Delete']);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    const { results } = (await admin.get(`/flows/bindings/?target=${pk}&order=20`)).body;
    await openAdmin(page, `/flows/bindings/${results[0].pk}/`);
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
  });

  test('are deleted together, once it has been seen in one request what uses them', async () => {
    const { server } = journey();
    // Ten are written at a time.
    const { prefix, groups } = await newGroups(12);
    const [first] = groups as [Group, ...typeof groups];
    const member = await server.user([], { username: unique('member'), groups: [first.pk] });
    const page = await visitAdmin(journey(), `/core/groups/?search=${prefix}`);
    await chooseAll(page);
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/api/v3/')) asked.push(new URL(request.url()).pathname);
    });
    await page.getByRole('button', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete 12 groups?' });
    await dialog.getByText(member.username).waitFor();
    await dialog.getByText('leaves this group').waitFor();
    expect(await dialog.getByText('Nothing uses it.').count()).toBe(11);
    expect(asked).toEqual(['/api/v3/admin/bulk/', '/api/v3/admin/objects/']);
    const second = Promise.withResolvers<void>();
    let written = 0;
    await page.route('**/api/v3/admin/bulk/', async (route) => {
      written += 1;
      if (written === 2) await second.promise;
      await route.continue();
    });
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    const progress = dialog.getByRole('progressbar', { name: 'Deleted so far' });
    await expect.poll(() => progress.getAttribute('value')).toBe('10');
    second.resolve();
    await page.getByText('12 groups deleted.').waitFor();
    for (const group of groups) expect((await server.admin.get(`/core/groups/${group.pk}/`)).status).toBe(404);
    await page.waitForLoadState('networkidle');
  });

  test('offer delegates what they may do with all of them, and others nothing', async () => {
    const { server } = journey();
    const { prefix, groups } = await newGroups(2);
    const editor = await server.user(['svc_core.view_group', 'svc_core.change_group']);
    const page = await visitAdmin(journey(), `/core/groups/?search=${prefix}`, { user: editor.pk });
    await chooseAll(page);
    expect(await page.getByRole('button', { name: 'Delete…' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Edit…' }).click();
    const dialog = page.getByRole('dialog');
    const fields = dialog.getByLabel('Field to set').locator('option');
    await fields.filter({ hasText: 'Parent' }).waitFor({ state: 'attached' });
    expect(await fields.evaluateAll((all) => all.map((one) => one.getAttribute('value')))).not.toContain(
      'is_superuser',
    );
    await dialog.getByLabel('Field to set').selectOption('parent');
    await fillIn(page, server, 'parent', groups[0]?.pk);
    await dialog.getByRole('button', { name: 'Preview' }).click();
    await dialog.locator('.bulk-refused').first().waitFor();
    for (const group of groups) expect((await read(group)).parent).toBeNull();
    await page.waitForLoadState('networkidle');
    const reader = await server.user(['svc_core.view_group']);
    const other = await visitAdmin(journey(), `/core/groups/?search=${prefix}&dialog=edit`, { user: reader.pk });
    await other.getByRole('table').waitFor();
    expect(await other.getByRole('checkbox').count()).toBe(0);
    expect(await other.getByRole('dialog').count()).toBe(0);
    await other.waitForLoadState('networkidle');
    const stranger = await server.user();
    const closed = await visitAdmin(journey(), '/core/groups/', { user: stranger.pk });
    expect(await closed.getByRole('table').count()).toBe(0);
    await closed.waitForLoadState('networkidle');
  });

  test('have accessible dialogs that fit narrow screens', async () => {
    const { server } = journey();
    const { prefix, groups } = await newGroups(2);
    const [first] = groups as [Group, ...typeof groups];
    await server.user([], { username: unique('member'), groups: [first.pk] });
    const page = await visitAdmin(journey(), '/');
    await openAdmin(page, `/core/groups/?search=${prefix}`);
    await chooseAll(page);
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Delete…' }).click();
    await dialog.getByText('leaves this group').waitFor();
    await expectGoodLooks(page, 'deletion', dialog);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Edit…' }).click();
    await dialog.getByLabel('Field to set').selectOption('parent');
    await fillIn(page, server, 'parent', first.pk);
    await expectGoodLooks(page, 'form', dialog);
    await dialog.getByRole('button', { name: 'Preview' }).click();
    await dialog.locator('.bulk-refused').waitFor();
    await expectGoodLooks(page, 'preview', dialog);
    await page.waitForLoadState('networkidle');
  });
});
