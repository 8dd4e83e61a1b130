import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { moveTo, openAdmin, visitAdmin } from '../support/admin-visit.ts';
import { describeJourney } from '../support/journey.ts';
import { unique } from '../support/make-walk.ts';
import type { TestServer } from '../support/server.ts';
import { signIn } from '../support/session.ts';

const pick = async (page: Page, label: string, name: string) => {
  await page.getByRole('combobox', { name: label, exact: true }).fill(name);
  await page.getByRole('option', { name }).first().click();
};

const choose = async (page: Page, title: string) => {
  await page.getByText('Actions', { exact: true }).click();
  await page.getByRole('button', { name: title }).click();
};

const makeGroup = async ({ admin }: TestServer) =>
  (await admin.post('/core/groups/', { name: unique('group') })).body as { pk: string; name: string };

const groupsOf = async ({ admin }: TestServer, pk: number): Promise<string[]> =>
  (await admin.get(`/core/users/${pk}/`)).body.groups;

describeJourney('the admin pages of people', (journey) => {
  test('list people by folder, and invite by a link that is shown once', async () => {
    const { server } = journey();
    const folder = unique('staff');
    const dana = await server.user([], { username: unique('dana'), path: `${folder}/berlin` });
    const eve = await server.user([], { username: unique('eve'), path: `${folder}/paris` });
    const page = await visitAdmin(journey(), '/core/users/');
    const folders = page.getByRole('navigation', { name: 'Folders' });
    await folders.getByRole('link', { name: folder }).click();
    await page.getByText('2 users').waitFor();
    await folders.getByRole('link', { name: 'berlin' }).click();
    await page.getByText('1 user', { exact: true }).waitFor();
    await page.getByRole('link', { name: dana.username }).waitFor();
    expect(await page.getByRole('link', { name: eve.username }).count()).toBe(0);
    expect(new URL(page.url()).searchParams.get('path_startswith')).toBe(`${folder}/berlin`);
    await page.getByRole('button', { name: 'Invite…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Frida');
    await dialog.getByLabel('Email').fill('frida@example.com');
    await dialog.getByRole('button', { name: 'Make an invitation' }).click();
    await dialog
      .getByText(/itoken=/)
      .or(dialog.getByText('no enrolment flow takes invitations'))
      .waitFor();
    const [made] = (await server.admin.get('/stages/invitation/invitations/?search=frida')).body.results;
    expect(made).toMatchObject({ single_use: true, fixed_data: { name: 'Frida', email: 'frida@example.com' } });
    await page.waitForLoadState('networkidle');
  });

  test('show one person with everything that is theirs', async () => {
    const { server } = journey();
    const group = await makeGroup(server);
    const dana = await server.user(['svc_core.view_group'], { username: unique('dana') });
    await signIn(server, dana.pk);
    const at = `/core/users/${dana.pk}/`;
    const page = await visitAdmin(journey(), `${at}?tab=sessions`);
    await page.getByRole('button', { name: /^Sign out / }).waitFor();
    await moveTo(page, `${at}?tab=rights`);
    await page.getByText('granted directly').waitFor();
    await moveTo(page, `${at}?tab=tokens`);
    await page
      .getByRole('button', { name: /^Delete / })
      .first()
      .waitFor();
    for (const tab of ['devices', 'consents', 'connections']) {
      await moveTo(page, `${at}?tab=${tab}`);
      await page.locator('.empty').waitFor();
    }
    await moveTo(page, `${at}?tab=groups`);
    await pick(page, 'Add to a group', group.name);
    await page.getByRole('list', { name: 'Groups' }).getByRole('link', { name: group.name }).waitFor();
    expect(await groupsOf(server, dana.pk)).toEqual([group.pk]);
    await page.getByRole('button', { name: `Remove from ${group.name}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('In no group.').waitFor();
    expect(await groupsOf(server, dana.pk)).toEqual([]);
    await choose(page, 'Sign out everywhere…');
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByText(`${dana.username} is signed out everywhere.`).waitFor();
    const left = await server.admin.get(`/core/authenticated_sessions/?user__username=${dana.username}`);
    expect(left.body.results).toEqual([]);
    await choose(page, 'Set password…');
    await page.getByRole('dialog').getByLabel('New password', { exact: true }).fill('a-long-password-for-dana');
    await page.getByRole('dialog').getByRole('button', { name: 'Set password' }).click();
    await page.getByText('The password is set.').waitFor();
    await choose(page, 'Act as…');
    await page.getByRole('dialog').getByLabel('Reason').fill('to see what she sees');
    await page.getByRole('dialog').getByRole('button', { name: 'Act as them' }).click();
    await page.waitForURL('**/if/user/**');
    await page.waitForLoadState('networkidle');
    const { results } = (await server.admin.get('/events/events/?action=impersonation_started')).body;
    expect(results[0].context).toMatchObject({ reason: 'to see what she sees' });
  });

  test('add members from the group, and permissions to a role by its matrix', async () => {
    const { server } = journey();
    const group = await makeGroup(server);
    const dana = await server.user([], { username: unique('dana') });
    const page = await visitAdmin(journey(), `/core/groups/${group.pk}/?tab=members`);
    await page.getByText('Nobody is in this group.').waitFor();
    await pick(page, 'Add a member', dana.username);
    await page.getByRole('list', { name: 'Members' }).getByRole('link', { name: dana.username }).waitFor();
    expect(await groupsOf(server, dana.pk)).toEqual([group.pk]);
    const role = (await server.admin.post('/rbac/roles/', { name: unique('role') })).body;
    await openAdmin(page, `/rbac/roles/${role.pk}/`);
    await page.getByRole('checkbox', { name: 'View Group', exact: true }).check();
    await page.getByRole('checkbox', { name: 'Change Group', exact: true }).check();
    await page.getByText('2 permissions more, 0 fewer.').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(`${role.name} is saved.`).waitFor();
    const held = async () =>
      (await server.admin.get(`/rbac/permissions/?role=${role.pk}`)).body.results.map(
        (one: { codename: string }) => one.codename,
      );
    expect((await held()).sort()).toEqual(['change_group', 'view_group']);
    await page.getByRole('checkbox', { name: 'Change Group', exact: true }).uncheck();
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(held).toEqual(['view_group']);
    await page.waitForLoadState('networkidle');
  });

  test('offer a delegate only what they may do', async () => {
    const { server } = journey();
    const dana = await server.user([], { username: unique('dana') });
    const delegate = await server.user(['svc_core.view_user', 'svc_core.reset_user_password']);
    const page = await visitAdmin(journey(), `/core/users/${dana.pk}/`, { user: delegate.pk });
    await page.locator('.facts').waitFor();
    const tabs = page.getByRole('navigation', { name: 'Parts of this page' }).getByRole('link');
    expect(await tabs.allInnerTexts()).toEqual(['Overview', 'Groups', 'Used by']);
    await page.getByText('Actions', { exact: true }).click();
    expect(await page.locator('.menu li').allInnerTexts()).toEqual([
      'Set password…',
      'Recovery link…',
      'Sign out everywhere…',
    ]);
    expect(await page.getByRole('link', { name: 'Edit', exact: true }).count()).toBe(0);
    await tabs.filter({ hasText: 'Groups' }).click();
    await page.getByText('In no group.').waitFor();
    expect(await page.getByLabel('Add to a group').count()).toBe(0);
    await moveTo(page, '/core/users/');
    await page.getByRole('table').waitFor();
    expect(await page.getByRole('button', { name: 'Invite…' }).count()).toBe(0);
    await page.waitForLoadState('networkidle');
    const nobody = await visitAdmin(journey(), `/core/users/${dana.pk}/`, { user: dana.pk });
    await nobody.getByRole('heading', { name: 'Nothing to administer' }).waitFor();
    await nobody.waitForLoadState('networkidle');
  });
});
