import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { visitAdmin } from '../support/admin-visit.ts';
import { describeJourney } from '../support/journey.ts';
import { made, unique } from '../support/make-walk.ts';

/** A person at a page: each click counts as a step, and each field that they fill in or choose something in. */
class Hand {
  steps = 0;
  readonly page: Page;
  constructor(page: Page) {
    this.page = page;
  }

  async click(target: Locator): Promise<void> {
    this.steps += 1;
    await target.click();
  }

  menu(name: string): Promise<void> {
    const menu = this.page.getByRole('navigation', { name: 'Administration' });
    return this.click(menu.getByRole('link', { name, exact: true }));
  }

  async type(target: Locator, text: string): Promise<void> {
    this.steps += 1;
    await target.fill(text);
  }

  /** Types into a picker, and clicks on what it offers. */
  async pick(label: string, text: string, offered = text): Promise<void> {
    await this.type(this.page.getByRole('combobox', { name: label, exact: true }), text);
    await this.page.getByRole('option', { name: offered }).first().click();
  }

  expectAtMost(steps: number): void {
    expect(this.steps, 'clicks and fields').toBeLessThanOrEqual(steps);
  }
}

// The numbers are the most that a person may need without documentation.
describeJourney('tasks with people', (journey) => {
  const begin = async (path = '/') => new Hand(await visitAdmin(journey(), path));

  test('a second factor for administrators only takes 4 steps', async () => {
    const { admin } = journey().server;
    const hand = await begin();
    const { page } = hand;
    await hand.menu('Flows');
    await hand.click(page.getByLabel('Administrators', { exact: true }));
    await hand.click(page.getByRole('listitem').filter({ hasText: 'Require a second factor' }).getByRole('button'));
    await page.getByText('It applies from the next sign-in.').waitFor();
    hand.expectAtMost(4);
    expect((await admin.get('/flows/second_factor/')).body.require).toBe('administrators');
    expect(await page.getByLabel('Administrators', { exact: true }).isChecked()).toBe(true);
    await admin.put('/flows/second_factor/', { require: 'none' });
    await page.waitForLoadState('networkidle');
  });

  test('deactivating 20 users takes 4 steps from the list of users', async () => {
    const { admin } = journey().server;
    const prefix = unique('leaver');
    for (let at = 0; at < 20; at += 1) await admin.post('/core/users/', { username: `${prefix}-${at}`, name: 'L' });
    const hand = await begin('/core/users/');
    const { page } = hand;
    await hand.type(page.getByRole('searchbox').first(), prefix);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**search=${prefix}*`);
    await page
      .getByRole('row')
      .filter({ hasText: `${prefix}-19` })
      .waitFor();
    await page.waitForLoadState('networkidle');
    await hand.click(page.getByRole('checkbox', { name: 'All on this page' }));
    await hand.click(page.getByRole('button', { name: 'Deactivate…' }));
    await hand.click(page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }));
    await page.getByText('20 users deactivated.').waitFor();
    hand.expectAtMost(4);
    const { pagination } = (await admin.get(`/core/users/?search=${prefix}&is_active=true`)).body;
    expect(pagination.count).toBe(0);
    await page.waitForLoadState('networkidle');
  });

  test('letting only a new group open an application takes 5 steps', async () => {
    const { admin } = journey().server;
    const [name, group] = [unique('Wiki'), unique('Staff')];
    const { pk } = await made(journey().server, '/core/applications/', { name, slug: unique('wiki') });
    const hand = await begin();
    const { page } = hand;
    await hand.menu('Applications');
    await hand.click(page.getByRole('main').getByRole('link', { name, exact: true }));
    await hand.click(page.getByRole('main').getByRole('link', { name: 'Access', exact: true }));
    await page.getByText('Everybody who can sign in may use it.').waitFor();
    await hand.pick('Group', group, `Create group “${group}”`);
    await page.waitForLoadState('networkidle');
    await hand.click(page.getByRole('button', { name: 'Add', exact: true }));
    await page.getByText(`Members of ${group}`).waitFor();
    hand.expectAtMost(5);
    const bound = (await admin.get(`/policies/bindings/?target=${pk}`)).body.results;
    expect(bound.map(({ group_obj }: { group_obj: { name: string } }) => group_obj.name)).toEqual([group]);
    await page.waitForLoadState('networkidle');
  });

  test('finding out why a person cannot open an application takes 4 steps', async () => {
    const { server } = journey();
    const group = await made(server, '/core/groups/', { name: unique('Staff') });
    const application = await made(server, '/core/applications/', { name: unique('Wiki'), slug: unique('wiki') });
    await made(server, '/policies/bindings/', { target: application.pk, group: group.pk, order: 0 });
    const eve = await server.user([], { username: unique('eve') });
    const hand = await begin();
    await hand.menu('Access');
    await hand.pick('Person', eve.username);
    await hand.pick('Application', application.name);
    await hand.page.getByText(`No binding of ${application.name} allows access.`).waitFor();
    await hand.page.getByRole('link', { name: `the group ${group.name}` }).waitFor();
    hand.expectAtMost(4);
    await hand.page.waitForLoadState('networkidle');
  });

  test('giving a group the role of a help desk takes 6 steps', async () => {
    const { server } = journey();
    const group = await made(server, '/core/groups/', { name: unique('Desk') });
    const hand = await begin();
    const { page } = hand;
    await hand.menu('Groups');
    await hand.click(page.getByRole('main').getByRole('link', { name: group.name, exact: true }));
    await hand.click(page.getByText('Actions', { exact: true }));
    await hand.click(page.getByRole('button', { name: 'Give a role…' }));
    const dialog = page.getByRole('dialog');
    await hand.click(dialog.getByLabel('Help desk: passwords and second factors'));
    // A role that somebody else gives meanwhile stays.
    const { pk: kept } = await made(server, '/rbac/roles/', { name: unique('kept') });
    await server.admin.patch(`/core/groups/${group.pk}/`, { roles: [kept] });
    await hand.click(dialog.getByRole('button', { name: 'Give the role' }));
    await page.getByText(`${group.name} has the role.`).waitFor();
    hand.expectAtMost(6);
    const member = await server.user([], { groups: [group.pk] });
    const rights = (await server.admin.get(`/core/users/${member.pk}/rights/`)).body;
    expect(JSON.stringify(rights)).toContain('reset_user_password');
    expect((await server.admin.get(`/core/groups/${group.pk}/`)).body.roles).toContain(kept);
    await page.waitForLoadState('networkidle');
  });
});
