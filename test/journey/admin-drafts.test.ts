import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { fillIn } from '../support/admin-form.ts';
import { moveTo, openAdmin, visitAdmin } from '../support/admin-visit.ts';
import { describeJourney } from '../support/journey.ts';
import { made, makeWalk, unique } from '../support/make-walk.ts';
import type { TestServer } from '../support/server.ts';
import { signIn } from '../support/session.ts';

const restored = 'These are your unsaved changes from before.';
const inputOf = (page: Page, name: string) => page.locator(`[data-field="${name}"] :is(input, textarea)`);
const conflictOf = (page: Page) => page.getByRole('dialog', { name: 'Someone else has changed this in the meantime' });
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click();
const storage = (page: Page) => page.evaluate<string>('JSON.stringify(sessionStorage)');

const makeProvider = (server: TestServer) =>
  made(server, '/providers/oauth2/', { name: unique('provider'), redirect_uris: [] });

describeJourney('unsaved changes', (journey) => {
  test('meet those of another user when one returns to them', async () => {
    const { server } = journey();
    const { pk, name } = await made(server, '/core/groups/', { name: unique('group') });
    const page = await visitAdmin(journey(), `/edit/core/groups/${pk}/`);
    const mine = unique('mine');
    await fillIn(page, server, 'name', mine);
    await page.getByRole('navigation', { name: 'Administration' }).getByRole('link', { name: 'Users' }).click();
    await page.getByText(`Your unsaved changes to ${name} are kept in this window: Name.`).waitFor();
    const theirs = unique('theirs');
    await server.admin.patch(`/core/groups/${pk}/`, { name: theirs });
    await page.goBack();
    await conflictOf(page)
      .getByRole('row', { name: `Name ${theirs} ${mine}` })
      .waitFor();
    // Closed without a choice, it asks again rather than overwrite anything.
    await page.keyboard.press('Escape');
    await save(page);
    await conflictOf(page).waitFor();
    expect((await server.admin.get(`/core/groups/${pk}/`)).body.name).toBe(theirs);
    await conflictOf(page).getByRole('button', { name: 'Discard mine' }).click();
    expect(await inputOf(page, 'name').inputValue()).toBe(theirs);

    // Changes of other members go together.
    await fillIn(page, server, 'name', mine);
    await moveTo(page, '/core/users/');
    await server.admin.patch(`/core/groups/${pk}/`, { is_superuser: true });
    await moveTo(page, `/edit/core/groups/${pk}/`);
    await page.getByText(restored).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await inputOf(page, 'is_superuser').isChecked()).toBe(true);
    await save(page);
    await page.getByRole('heading', { name: mine }).waitFor();
    expect((await server.admin.get(`/core/groups/${pk}/`)).body).toMatchObject({ name: mine, is_superuser: true });
  });

  test('keep a typed secret when another user was quicker, and when a file is uploaded', async () => {
    const { server } = journey();
    const { pk } = await makeProvider(server);
    const page = await visitAdmin(journey(), `/edit/providers/oauth2/${pk}/`);
    const [mine, secret] = [unique('mine'), unique('a-new-secret')];
    await fillIn(page, server, 'name', mine);
    await fillIn(page, server, 'client_secret', secret);
    await server.admin.patch(`/providers/oauth2/${pk}/`, { name: unique('theirs') });
    await page.setViewportSize({ width: 375, height: 800 });
    await save(page);
    // A version stands below the other, where there is no room beside it.
    const cells = conflictOf(page).getByRole('row', { name: 'Client secret' }).getByRole('cell');
    await expect.poll(() => cells.allInnerTexts()).toEqual(['On the server now\nSet', 'Yours\nChanged']);
    await page.setViewportSize({ width: 1280, height: 800 });
    await expect.poll(() => cells.allInnerTexts()).toEqual(['Set', 'Changed']);
    await conflictOf(page).getByRole('button', { name: 'Keep my changes' }).click();
    await page.getByText(restored).waitFor();
    expect(await storage(page)).not.toContain(secret);
    await save(page);
    await page.getByRole('heading', { name: mine }).waitFor();
    expect((await server.admin.get(`/providers/oauth2/${pk}/`)).body).toMatchObject({
      ...{ name: mine, client_secret: secret },
    });

    const slug = unique('source');
    const source = { name: slug, slug, provider_type: 'openidconnect', consumer_key: 'key', consumer_secret: 'old' };
    const addresses = ['authorization', 'access_token', 'profile'].map((one) => [`${one}_url`, 'https://idp.example/']);
    await made(server, '/sources/oauth/', { ...source, ...Object.fromEntries(addresses) });
    await openAdmin(page, `/edit/sources/oauth/${slug}/`);
    await fillIn(page, server, 'consumer_secret', secret);
    const icon = {
      name: 'icon.svg',
      mimeType: 'image/svg+xml',
      buffer: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    };
    await page.locator('input[type="file"]').setInputFiles(icon);
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await page.getByText('The file is stored.').waitFor();
    const written = page.waitForRequest((request) => request.method() === 'PATCH');
    await save(page);
    expect((await written).postDataJSON()).toEqual({ consumer_secret: secret });
    await page.getByText(`${slug} is saved.`).waitFor();
  });

  test('are of the person who typed them, and gone when they sign out', async () => {
    const { server } = journey();
    const { pk } = await made(server, '/core/groups/', { name: unique('group') });
    const page = await visitAdmin(journey(), `/edit/core/groups/${pk}/`);
    const mine = unique('mine');
    await fillIn(page, server, 'name', mine);
    await moveTo(page, '/core/users/');
    expect(await storage(page)).toContain(mine);

    const other = await server.user();
    const [group] = (await server.admin.get('/core/groups/?is_superuser=true&name=Gatehouse Admins')).body.results;
    await server.admin.post(`/core/groups/${group.pk}/add_user/`, { pk: other.pk });
    const session = await signIn(server, other.pk);
    const [name = '', value = ''] = session.cookie.split('=');
    const url = new URL(page.url()).origin;
    const first = await page.context().cookies();
    await page.context().addCookies([
      { name, value, url, httpOnly: true },
      { name: 'gatehouse_csrf', value: session.csrf, url },
    ]);
    await openAdmin(page, `/edit/core/groups/${pk}/`);
    await inputOf(page, 'name').waitFor();
    expect(await page.getByText(restored).count()).toBe(0);
    expect(await inputOf(page, 'name').inputValue()).not.toBe(mine);

    await page.context().addCookies(first);
    await openAdmin(page, `/edit/core/groups/${pk}/`);
    await page.getByText(restored).waitFor();
    await moveTo(page, '/core/users/');
    await page.locator('summary', { hasText: 'Account menu' }).click();
    await page.getByRole('link', { name: 'Sign out' }).click();
    await page.waitForURL((to) => !to.pathname.startsWith('/if/admin/'));
    expect(await storage(page)).not.toContain(mine);
  });

  test('are saved although the object has changed, when nothing of the form has', async () => {
    const { server } = journey();
    const { pk, name } = await made(server, '/policies/expression/', {
      name: unique('policy'),
      expression: 'return true',
    });
    const { pk: target } = await made(server, '/core/applications/', { name: unique('app'), slug: unique('app') });
    const page = await visitAdmin(journey(), `/edit/policies/expression/${pk}/`);
    await inputOf(page, 'execution_logging').check();
    await made(server, '/policies/bindings/', { policy: pk, target, order: 0 });
    await save(page);
    await page.getByText(`${name} is saved.`).waitFor();
    expect((await server.admin.get(`/policies/expression/${pk}/`)).body.execution_logging).toBe(true);
  });

  test('are kept in a form that has saved before: settings, stages in the designer', async () => {
    const { server } = journey();
    const page = await visitAdmin(journey(), '/admin/settings/');
    await save(page);
    await page.getByText('The settings are saved.').waitFor();
    await fillIn(page, server, 'event_retention', 'days=77');
    await page.getByRole('navigation', { name: 'Administration' }).getByRole('link', { name: 'Users' }).click();
    await page.getByText('Your unsaved changes to the settings are kept in this window: Event retention.').waitFor();
    await page.goBack();
    await page.getByText(restored).waitFor();
    expect(await inputOf(page, 'event_retention').inputValue()).toBe('77');
    await page.getByRole('button', { name: 'Discard them' }).click();

    const [one, other] = [unique('one'), unique('other')];
    const walk = await makeWalk(server, [
      ['dummy', { name: one }],
      ['dummy', { name: other }],
    ]);
    await openAdmin(page, `/flows/instances/${walk.slug}/`);
    const saveStage = page.getByRole('button', { name: 'Save the stage' });
    await page.getByRole('link', { name: one }).click();
    await saveStage.click();
    await page.getByText(`${one} is saved.`).waitFor();
    const typed = unique('typed');
    await fillIn(page, server, 'name', typed);
    await page.getByRole('link', { name: other }).click();
    await page.getByText(`Your unsaved changes to ${one} are kept in this window: Name.`).waitFor();
    await page.getByRole('link', { name: one }).click();
    await page.getByText(restored).waitFor();
    await saveStage.click();
    await page.getByRole('link', { name: typed }).waitFor();
    await page.waitForLoadState('networkidle');
    expect(await storage(page)).not.toContain(typed);
  });

  test('are kept as half-written data, and said to be lost when they are secrets', async () => {
    const { server } = journey();
    const { pk, name } = await made(server, '/core/groups/', { name: unique('group') });
    const page = await visitAdmin(journey(), `/edit/core/groups/${pk}/`);
    const half = '{"team": [1, ';
    const editor = page.locator('[data-field="attributes"] .cm-content');
    await editor.click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(half);
    await page.getByText('This cannot be read:').waitFor();
    await page.getByRole('navigation', { name: 'Administration' }).getByRole('link', { name: 'Users' }).click();
    await page.getByText(`Your unsaved changes to ${name} are kept in this window: Attributes.`).waitFor();
    await page.goBack();
    await page.getByText(restored).waitFor();
    await expect.poll(() => editor.innerText()).toBe(half);
    await save(page);
    await page.getByText('Fix this first.').waitFor();
    await page.getByRole('button', { name: 'Discard them' }).click();

    const provider = await makeProvider(server);
    await moveTo(page, `/edit/providers/oauth2/${provider.pk}/`);
    await fillIn(page, server, 'client_secret', unique('secret'));
    await page.getByRole('navigation', { name: 'Administration' }).getByRole('link', { name: 'Users' }).click();
    await page.getByText(`Your unsaved changes to ${provider.name} are lost: secrets are not kept.`).waitFor();
  });

  test('keep what is ticked for a role', async () => {
    const { server } = journey();
    const { pk, name } = await made(server, '/rbac/roles/', { name: unique('role') });
    const page = await visitAdmin(journey(), `/rbac/roles/${pk}/`);
    const box = (label: string) => page.getByRole('checkbox', { name: label, exact: true });
    await box('View Group').check();
    await box('Change Group').check();
    await page.getByRole('link', { name: 'Used by' }).click();
    await page.getByText(`Your unsaved changes to ${name} are kept in this window: Permissions.`).waitFor();
    // What others give it meanwhile stays, too.
    const assign = `/rbac/permissions/assigned_by_roles/${pk}/assign/`;
    await server.admin.post(assign, { permissions: ['svc_core.change_group', 'svc_core.add_group'] });
    await openAdmin(page, `/rbac/roles/${pk}/`);
    await page.getByText(restored).waitFor();
    expect(await box('View Group').isChecked()).toBe(true);
    await page.getByText('1 permission more, 0 fewer.').waitFor();
    await save(page);
    await page.getByText(`${name} is saved.`).waitFor();
    const held = (await server.admin.get(`/rbac/permissions/?role=${pk}`)).body.results;
    expect(held.map(({ codename }: { codename: string }) => codename).toSorted()).toEqual([
      ...['add_group', 'change_group', 'view_group'],
    ]);
    await page.waitForLoadState('networkidle');
    expect(await page.getByText(restored).count()).toBe(0);
  });

  test('of the settings overwrite none of another administrator', async () => {
    const { server } = journey();
    const page = await visitAdmin(journey(), '/admin/settings/');
    await fillIn(page, server, 'event_retention', 'days=80');
    await server.admin.patch('/admin/settings/', { event_retention: 'days=90' });
    await save(page);
    await conflictOf(page).getByRole('row', { name: 'Event retention 90 days 80 days' }).waitFor();
    expect((await server.admin.get('/admin/settings/')).body.event_retention).toBe('days=90');
    await conflictOf(page).getByRole('button', { name: 'Keep my changes' }).click();
    await conflictOf(page).waitFor({ state: 'detached' });
    await save(page);
    await page.getByText('The settings are saved.').waitFor();
    expect((await server.admin.get('/admin/settings/')).body.event_retention).toBe('days=80');

    await openAdmin(page, '/flows/instances/');
    const card = page.locator('.ready-made', { hasText: 'Require a second factor' });
    await card.getByLabel('Administrators').check();
    const required = '/flows/second_factor/';
    await server.admin.send('PUT', required, { require: 'everybody', groups: [] });
    await save(page);
    await page.getByText('Someone else has changed this in the meantime').waitFor();
    expect((await server.admin.get(required)).body.require).toBe('everybody');
    expect(await card.getByLabel('All users').isChecked()).toBe(true);
    await card.getByLabel('No users').check();
    await save(page);
    await page.getByText('The requirement is saved.').waitFor();
    expect((await server.admin.get(required)).body.require).toBe('none');
  });

  test('are kept in the short form of a source', async () => {
    const page = await visitAdmin(journey(), '/sources/new/?service=openid');
    await page.getByLabel('Name on the sign-in page').fill('Example ID');
    await page.getByLabel('Client secret', { exact: true }).fill('a-new-secret');
    await page.getByLabel('Addresses at these domains').check();
    await page.getByLabel('Domains', { exact: true }).fill('example.com');
    await page.getByRole('navigation', { name: 'Administration' }).getByRole('link', { name: 'Users' }).click();
    await page
      .getByText(
        'are kept in this window, except secrets: Name on the sign-in page, Who gets an account?, and Domains.',
      )
      .waitFor();
    expect(await storage(page)).not.toContain('a-new-secret');
    await page.goBack();
    await page.getByText(restored).waitFor();
    expect(await page.getByLabel('Domains', { exact: true }).inputValue()).toBe('example.com');
    await page.getByRole('button', { name: 'Discard them' }).click();
    expect(await page.getByLabel('Name on the sign-in page').inputValue()).toBe('');
    expect(await page.getByLabel('Nobody new').isChecked()).toBe(true);
    await page.waitForLoadState('networkidle');
  });
});
