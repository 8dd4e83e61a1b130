import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { makeSource } from '../api/sources/fixtures.ts';
import { pick } from '../support/admin-form.ts';
import { moveTo, openAdmin, visitAdmin } from '../support/admin-visit.ts';
import { axeViolations } from '../support/axe.ts';
import { openBrowser, signInByPassword, signInFlow } from '../support/flow-client.ts';
import { describeJourney, whoIs } from '../support/journey.ts';
import { made, unique } from '../support/make-walk.ts';
import { makeApplication, makeConsent } from '../support/providers.ts';
import { giveCodes, isSignedIn, password, personWithPassword } from '../support/second-factor.ts';
import type { TestServer } from '../support/server.ts';
import { signIn } from '../support/session.ts';

/** Answers the question that a button asks. */
const confirm = async (page: Page, button: RegExp | string, answer: string) => {
  await page.getByRole('button', { name: button }).click();
  await page.getByRole('dialog').getByRole('button', { name: answer, exact: true }).click();
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
    await server.user([], { username: unique('nobody'), path: `${folder}ing` });
    const page = await visitAdmin(journey(), '/core/users/');
    const folders = page.getByRole('navigation', { name: 'Folders' });
    await folders.getByRole('link', { name: folder, exact: true }).click();
    await page.getByText('2 users').waitFor();
    await folders.getByRole('link', { name: 'berlin' }).click();
    await page.getByText('1 user', { exact: true }).waitFor();
    await page.getByRole('link', { name: dana.username }).waitFor();
    expect(await page.getByRole('link', { name: eve.username }).count()).toBe(0);
    expect(new URL(page.url()).searchParams.get('folder')).toBe(`${folder}/berlin`);
    await page.getByRole('button', { name: 'Invite…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Frida');
    await dialog.getByLabel('Email').fill('frida@example.com');
    await dialog.getByLabel('Valid for').selectOption('30');
    await dialog.getByRole('button', { name: 'Create an invitation' }).click();
    await dialog.getByText(/itoken=/).waitFor();
    const [invitation] = (await server.admin.get('/stages/invitation/invitations/?search=frida')).body.results;
    expect(invitation).toMatchObject({ single_use: true, fixed_data: { name: 'Frida', email: 'frida@example.com' } });
    expect(Math.round((Date.parse(invitation.expires) - Date.now()) / 86_400_000)).toBe(30);
    await page.waitForLoadState('networkidle');
  });

  test('show one person with everything that is theirs', async () => {
    const { server } = journey();
    const { admin } = server;
    const group = await makeGroup(server);
    const role = (await admin.post('/rbac/roles/', { name: unique('role') })).body;
    await admin.post(`/rbac/permissions/assigned_by_roles/${role.pk}/assign/`, { permissions: ['svc_core.add_group'] });
    await admin.patch(`/core/groups/${group.pk}/`, { roles: [role.pk] });
    const dana = await server.user(['svc_core.view_group'], { username: unique('dana') });
    const eve = await server.user([], { username: unique('eve') });
    await admin.post(`/core/users/${dana.pk}/set_password/`, { password });
    await giveCodes(server, dana.username);
    const application = await makeApplication(server);
    const github = { provider_type: 'github', consumer_key: 'k', consumer_secret: 's' };
    const source = await makeSource(server, 'oauth', github);
    const connections = '/sources/user_connections/oauth/';
    for (const user of [dana.pk, eve.pk]) {
      await made(server, connections, { user, source: source.pk, identifier: unique('id'), access_token: 'a' });
      await makeConsent(server, { user, application: application.pk, scopes: ['openid'] });
      await signIn(server, user, { clientIp: '8.8.8.8' });
    }
    const at = `/core/users/${dana.pk}/`;
    const page = await visitAdmin(journey(), `${at}?tab=events`);
    const tabs = page.getByRole('navigation', { name: 'Parts of this page' }).getByRole('list').first();
    expect(await tabs.getByRole('link').count()).toBe(6);
    expect(await tabs.locator('[aria-current]').innerText()).toBe('History');
    await page.getByText(`${dana.username} signed in.`).first().waitFor();
    const sentences = await page.locator('.event-sentence').allInnerTexts();
    expect(sentences.filter((one) => !one.includes(dana.username))).toEqual([]);
    await moveTo(page, `${at}?tab=sessions`);
    const session = page.getByRole('listitem').filter({ hasText: 'Firefox 128 on Linux' });
    expect(await session.innerText()).toContain('United States · 8.8.8.8');
    await confirm(page, 'Sign out Firefox 128 on Linux', 'Sign out');
    await session.waitFor({ state: 'detached' });
    await moveTo(page, `${at}?tab=rights`);
    await page.getByText('granted directly').waitFor();
    await moveTo(page, `${at}?tab=tokens`);
    await confirm(page, /^Delete /, 'Delete');
    await page.getByText('No tokens.').waitFor();
    expect((await dana.api.get('/core/users/me/')).status).toBe(403);
    await moveTo(page, `${at}?tab=devices`);
    await confirm(page, /^Remove /, 'Remove');
    await page.getByText('No second factor.').waitFor();
    expect((await admin.get(`/authenticators/admin/all/?user=${dana.pk}`)).body).toEqual([]);
    await moveTo(page, `${at}?tab=consents`);
    await confirm(page, `Revoke ${application.name}`, 'Revoke');
    await page.getByText('This user has given no consents').waitFor();
    const allowed = (await admin.get('/core/user_consent/')).body.results;
    expect(allowed.map((one: { user: { pk: number } }) => one.user.pk)).toEqual([eve.pk]);
    await moveTo(page, `${at}?tab=connections`);
    await confirm(page, `Disconnect ${source.name}`, 'Disconnect');
    await page.getByText('Connected to no account elsewhere.').waitFor();
    const connected = (await admin.get(connections)).body.results;
    expect(connected.map((one: { user: number }) => one.user)).toEqual([eve.pk]);
    await moveTo(page, `${at}?tab=groups`);
    await pick(page, 'Add to a group', group.name);
    await page.getByRole('list', { name: 'Groups' }).getByRole('link', { name: group.name }).waitFor();
    expect(await groupsOf(server, dana.pk)).toEqual([group.pk]);
    await moveTo(page, `${at}?tab=rights`);
    await page.getByText(`by the role ${role.name} of ${group.name}`).waitFor();
    await moveTo(page, `${at}?tab=groups`);
    await confirm(page, `Remove from ${group.name}`, 'Remove');
    await page.getByText('In no group.').waitFor();
    expect(await groupsOf(server, dana.pk)).toEqual([]);
    await choose(page, 'Sign out everywhere…');
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByText(`${dana.username} is signed out everywhere.`).waitFor();
    const left = await admin.get(`/core/authenticated_sessions/?user__username=${dana.username}`);
    expect(left.body.results).toEqual([]);
    await choose(page, 'Set password…');
    await page.getByRole('dialog').getByLabel('New password', { exact: true }).fill('a-long-password-for-dana');
    await page.getByRole('dialog').getByRole('button', { name: 'Set password' }).click();
    await page.getByText('The password is set.').waitFor();
    const browser = openBrowser(server);
    await signInByPassword(browser, dana.username, 'a-long-password-for-dana');
    expect(await isSignedIn(browser)).toBe(true);
    await choose(page, 'Act as…');
    await page.getByRole('dialog').getByLabel('Reason').fill('to see what she sees');
    await page.getByRole('dialog').getByRole('button', { name: 'Act as them' }).click();
    await page.waitForURL('**/if/user/**');
    await page.waitForLoadState('networkidle');
    expect(await whoIs(page)).toBe(dana.username);
    await openAdmin(page, '/core/groups/');
    await page.getByText(/^You act as .*, with their rights\.$/).waitFor();
    const { results } = (await admin.get('/events/events/?action=impersonation_started')).body;
    expect(results[0].context).toMatchObject({ reason: 'to see what she sees' });
  });

  test('say where a person is signed in, and when they last did not get in', async () => {
    const { server } = journey();
    const person = await personWithPassword(server);
    const page = await visitAdmin(journey(), `/core/users/${person.pk}/`);
    const fact = (title: string) => page.locator('.facts > div').filter({ hasText: title });
    await fact('Open sessions').getByText('None').waitFor();
    await fact('Last failed sign-in').getByText('None recorded').waitFor();
    await signInByPassword(openBrowser(server), person.username, 'not this one');
    await signInByPassword(openBrowser(server), person.username, password);
    await openAdmin(page, `/core/users/${person.pk}/`);
    await fact('Open sessions').getByText('1, last used now').waitFor();
    await fact('Last failed sign-in').getByRole('link').click();
    await page.getByRole('heading', { name: `A sign-in as ${person.username} failed.` }).waitFor();
    await page.waitForLoadState('networkidle');
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
    await confirm(page, `Remove ${dana.username}`, 'Remove');
    await page.getByText('Nobody is in this group.').waitFor();
    expect(await groupsOf(server, dana.pk)).toEqual([]);
    const role = (await server.admin.post('/rbac/roles/', { name: unique('role') })).body;
    await openAdmin(page, `/rbac/roles/${role.pk}/`);
    await page.getByRole('checkbox', { name: 'View Group', exact: true }).check();
    await page.getByRole('checkbox', { name: 'Can access admin interface' }).waitFor();
    // The server has permissions for these, but no such objects.
    expect(await page.getByRole('checkbox', { name: /License|Blueprint/ }).count()).toBe(0);
    await page.getByRole('checkbox', { name: 'Change Group', exact: true }).check();
    await page.getByText('2 permissions more, 0 fewer.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('No changes.').waitFor();
    await page.getByRole('checkbox', { name: 'View Group', exact: true }).check();
    await page.getByRole('checkbox', { name: 'Change Group', exact: true }).check();
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

  test('lead from a new person to their first password, those who may set it', async () => {
    const { server } = journey();
    const dana = await server.user([], { username: unique('dana') });
    const reader = await server.user(['svc_core.view_user'], { username: unique('reader') });
    const hint = /^Without a password yet\?/;
    const page = await visitAdmin(journey(), `/core/users/${dana.pk}/`);
    await page.getByText(hint).waitFor();
    const theirs = await visitAdmin(journey(), `/core/users/${dana.pk}/`, { user: reader.pk });
    await theirs.getByText('Never', { exact: true }).waitFor();
    expect(await theirs.getByText(hint).count()).toBe(0);
  });

  test('offer a new person a link by mail or a password as soon as they are created', async () => {
    const { server } = journey();
    const username = unique('new');
    const page = await visitAdmin(journey(), '/new/core/users/');
    await page.getByLabel('Username', { exact: false }).first().fill(username);
    await page.getByRole('textbox', { name: /^Name/ }).fill('New Person');
    await page.getByRole('textbox', { name: /^Email/ }).fill(`${username}@example.com`);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const asked = page.getByRole('dialog', { name: `How will ${username} sign in?` });
    await asked.getByRole('button', { name: 'Send a link by mail…' }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await asked.getByRole('button', { name: 'Set password…' }).click();
    const dialog = page.getByRole('dialog', { name: `Set the password of ${username}` });
    await dialog.getByLabel('New password').fill(password);
    await dialog.getByRole('button', { name: 'Set password', exact: true }).click();
    await page.getByText('The password is set.').waitFor();
    const signedIn = await signInByPassword(openBrowser(server), username, password);
    expect(signedIn.body).toMatchObject({ component: 'xak-flow-redirect' });
    await openAdmin(page, `${new URL(page.url()).pathname.slice('/if/admin'.length)}?dialog=first-sign-in`);
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('show a delegate what delegation refuses to read only, with the reason, and no way to give more than they hold', async () => {
    const { server } = journey();
    const { admin } = server;
    const power = 'svc_events.delete_event';
    const stronger = await server.user([power], { username: unique('stronger') });
    const [open, closed, role] = [await makeGroup(server), await makeGroup(server), unique('role')];
    const { pk: rolePk } = (await admin.post('/rbac/roles/', { name: role })).body;
    await admin.post(`/rbac/permissions/assigned_by_roles/${rolePk}/assign/`, { permissions: [power] });
    await admin.patch(`/core/groups/${closed.pk}/`, { roles: [rolePk] });
    const kinds = ['svc_core.user', 'svc_core.group', 'svc_rbac.role'];
    const rights = kinds.flatMap((kind) => ['view', 'change', 'add'].map((verb) => kind.replace('.', `.${verb}_`)));
    const more = ['svc_rbac.view_permission', 'svc_rbac.assign_role_permissions', 'svc_core.add_user_to_group'];
    const delegate = await server.user([...rights, ...more], { username: unique('delegate') });
    const page = await visitAdmin(journey(), `/edit/core/users/${stronger.pk}/`, { user: delegate.pk });
    const fixed = page.locator('[data-fixed]');
    const named = () => fixed.evaluateAll((all) => all.map((one) => one.dataset.field).sort());
    await fixed.first().waitFor();
    expect(await named()).toEqual(['attributes', 'email', 'email_verified', 'is_active', 'type', 'username']);
    expect(await page.locator('[data-fixed] :is(input, select, textarea)').count()).toBe(0);
    expect(await fixed.first().innerText()).toContain('Only those who hold all permissions involved may change this.');
    expect(await axeViolations(page)).toEqual([]);
    await page.locator('[data-field="name"] input').fill('Somebody Else');
    const groups = page.locator('[data-field="groups"]');
    await groups.getByRole('combobox').fill(closed.name);
    const refused = groups.getByRole('option').filter({ hasText: 'Grants permissions that you do not hold' });
    await refused.waitFor();
    expect(await refused.getAttribute('aria-disabled')).toBe('true');
    await groups.getByRole('combobox').fill(open.name);
    await groups.getByRole('option', { name: open.name }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('is saved.').waitFor();
    expect((await admin.get(`/core/users/${stronger.pk}/`)).body).toMatchObject({ name: 'Somebody Else' });
    expect(await groupsOf(server, stronger.pk)).toEqual([open.pk]);
    // No user makes superusers who is none, and no user gives a role more than they hold.
    await moveTo(page, '/new/core/groups/');
    await page.locator('[data-field="is_superuser"][data-fixed]').waitFor();
    expect(await named()).toEqual(['is_superuser']);
    await openAdmin(page, `/rbac/roles/${rolePk}/`);
    const box = (name: string) => page.getByRole('checkbox', { name, exact: true });
    await box('View Group').waitFor();
    expect(await box('View Group').isEnabled()).toBe(true);
    expect(await box('Delete Group').isEnabled()).toBe(false);
    expect(await box('Delete Event').isEnabled()).toBe(false);
    await box('View Group').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('is saved.').waitFor();
    // Nothing can be done with superusers, so they are not chosen either.
    await openAdmin(page, `/core/users/?search=${stronger.username}`);
    expect(await page.getByRole('checkbox', { name: `Choose ${stronger.username}` }).count()).toBe(1);
    await openAdmin(page, '/core/users/?search=admin');
    await page.getByRole('rowheader', { name: 'admin', exact: true }).waitFor();
    expect(await page.getByRole('checkbox', { name: 'Choose admin', exact: true }).count()).toBe(0);
    await page.waitForLoadState('networkidle');
  });

  test('give the help desk passwords and second factors, and nothing else', async () => {
    const { server } = journey();
    const dana = await personWithPassword(server);
    const clerk = await server.user([], { username: unique('clerk') });
    await giveCodes(server, dana.username);
    const role = (await server.admin.post('/rbac/roles/', { name: unique('desk') })).body;
    await made(server, '/core/groups/', { name: unique('desk'), roles: [role.pk], users: [clerk.pk] });
    const admin = await visitAdmin(journey(), `/rbac/roles/${role.pk}/`);
    await admin.getByRole('button', { name: 'Help desk: passwords and second factors' }).click();
    await admin.getByText('4 permissions more, 0 fewer.').waitFor();
    await admin.getByRole('button', { name: 'Save', exact: true }).click();
    await admin.getByText(`${role.name} is saved.`).waitFor();

    const page = await visitAdmin(journey(), `/core/users/${dana.pk}/`, { user: clerk.pk });
    await page.getByText('Actions', { exact: true }).click();
    expect(await page.locator('.menu li').allInnerTexts()).toEqual([
      'Set password…',
      'Recovery link…',
      'Reset second factors…',
      'Sign out everywhere…',
    ]);
    await page.getByRole('button', { name: 'Reset second factors…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reset second factors', exact: true }).click();
    await page.getByText(`${dana.username} has no second factor any more.`).waitFor();
    expect((await server.admin.get(`/authenticators/admin/all/?user=${dana.pk}`)).body).toEqual([]);
    await page.goto('/if/user/');
    await page.getByRole('link', { name: 'Administration' }).waitFor();
  });

  test('let a help desk see why a user cannot sign in', async () => {
    const { server } = journey();
    const dana = await personWithPassword(server);
    const clerk = await server.user([], { username: unique('clerk') });
    const role = (await server.admin.post('/rbac/roles/', { name: unique('desk') })).body;
    await made(server, '/core/groups/', { name: unique('desk'), roles: [role.pk], users: [clerk.pk] });
    const admin = await visitAdmin(journey(), `/rbac/roles/${role.pk}/`);
    await admin.getByRole('button', { name: 'Help desk: sign-in problems' }).click();
    await admin.getByText('3 permissions more, 0 fewer.').waitFor();
    await admin.getByRole('button', { name: 'Save', exact: true }).click();
    await admin.getByText(`${role.name} is saved.`).waitFor();
    const failing = openBrowser(server);
    await failing.show(signInFlow);
    await failing.answer(signInFlow, { uid_field: dana.username });
    await failing.answer(signInFlow, { password: 'not hers' });

    const page = await visitAdmin(journey(), `/core/users/${dana.pk}/?tab=events`, { user: clerk.pk });
    await page.getByText(`A sign-in as ${dana.username} failed.`).waitFor();
    await page.waitForLoadState('networkidle');
  });

  test('show what a user who leaves could open, keep them out, and let them in again', async () => {
    const { server } = journey();
    const dana = await server.user([], { username: unique('dana') });
    const application = await makeApplication(server);
    const closed = await makeApplication(server);
    await made(server, '/policies/bindings/', { target: closed.pk, group: (await makeGroup(server)).pk, order: 0 });
    await signIn(server, dana.pk);
    const page = await visitAdmin(journey(), `/core/users/${dana.pk}/?tab=applications`);
    const rows = page.getByRole('list', { name: 'Applications' });
    await rows.getByRole('link', { name: application.name, exact: true }).waitFor();
    expect(await rows.getByText(String(closed.name)).count()).toBe(0);
    await rows.getByRole('link', { name: `Why? ${application.name}` }).click();
    await page.getByRole('heading', { level: 1, name: 'Access' }).waitFor();
    await openAdmin(page, `/core/users/${dana.pk}/`);
    await choose(page, 'Deactivate…');
    await page.getByRole('dialog').getByRole('button', { name: 'Deactivate', exact: true }).click();
    await page.getByText(`${dana.username} is deactivated.`).waitFor();
    await page.getByText('Not active: cannot sign in').waitFor();
    const path = `/core/authenticated_sessions/?user__username=${dana.username}`;
    expect((await server.admin.get(path)).body.results).toEqual([]);
    expect((await dana.api.get('/core/users/me/')).status).toBe(403);
    await choose(page, 'Activate…');
    await page.getByRole('dialog').getByRole('button', { name: 'Activate', exact: true }).click();
    await page.getByText(`${dana.username} is active again.`).waitFor();
    expect((await dana.api.get('/core/users/me/')).status).toBe(200);
  });

  test('offer a delegate only what they may do', async () => {
    const { server } = journey();
    const dana = await server.user([], { username: unique('dana') });
    const role = (await server.admin.post('/rbac/roles/', { name: unique('role') })).body;
    const delegate = await server.user(['svc_core.view_user', 'svc_core.reset_user_password', 'svc_rbac.view_role']);
    const stronger = await server.user(['svc_events.delete_event'], { username: unique('stronger') });
    const page = await visitAdmin(journey(), `/core/users/${dana.pk}/`, { user: delegate.pk });
    await page.locator('.facts').waitFor();
    const tabs = page.getByRole('navigation', { name: 'Parts of this page' }).getByRole('link');
    expect(await tabs.allInnerTexts()).toEqual(['Overview', 'Groups']);
    await page.getByText('Actions', { exact: true }).click();
    expect(await page.locator('.menu li').allInnerTexts()).toEqual([
      'Set password…',
      'Recovery link…',
      'Sign out everywhere…',
    ]);
    await page.getByRole('button', { name: 'Recovery link…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Create a link' }).click();
    await page.getByText('ask an administrator to turn recovery on').waitFor();
    await page.keyboard.press('Escape');
    expect(await page.getByRole('link', { name: 'Edit', exact: true }).count()).toBe(0);
    await tabs.filter({ hasText: 'Groups' }).click();
    await page.getByText('In no group.').waitFor();
    const superuser = (await server.admin.get('/core/users/me/')).body.user;
    expect((await delegate.api.post(`/core/users/${superuser.pk}/sign_out_everywhere/`)).status).toBe(403);
    expect(await page.getByLabel('Add to a group').count()).toBe(0);
    for (const { pk, username } of [superuser, stronger]) {
      await moveTo(page, `/core/users/${pk}/`);
      await page.getByRole('heading', { level: 1, name: username }).waitFor();
      await page.locator('.facts').waitFor();
      expect(await page.getByText('Actions', { exact: true }).count()).toBe(0);
    }
    await moveTo(page, '/core/users/');
    await page.getByRole('table').waitFor();
    expect(await page.getByRole('button', { name: 'Invite…' }).count()).toBe(0);
    await moveTo(page, `/rbac/roles/${role.pk}/`);
    await page.getByRole('heading', { level: 1, name: role.name }).waitFor();
    await server.admin.post(`/rbac/permissions/assigned_by_users/${delegate.pk}/assign/`, {
      permissions: ['svc_rbac.view_permission'],
    });
    await openAdmin(page, `/rbac/roles/${role.pk}/`);
    expect(await page.getByRole('checkbox', { name: 'View Group', exact: true }).isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
    await page.waitForLoadState('networkidle');
    const nobody = await visitAdmin(journey(), `/core/users/${dana.pk}/`, { user: dana.pk });
    await nobody.getByRole('heading', { name: 'Nothing to administer' }).waitFor();
    await nobody.waitForLoadState('networkidle');
  });
});
