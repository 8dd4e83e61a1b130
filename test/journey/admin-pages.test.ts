import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { fillIn } from '../support/admin-form.ts';
import { chooseAction, moveTo, openAdmin, visitAdmin } from '../support/admin-visit.ts';
import { describeJourney } from '../support/journey.ts';
import { unique } from '../support/make-walk.ts';
import type { TestServer } from '../support/server.ts';

const heading = (page: Page) => page.getByRole('heading', { level: 1 });
const makeGroup = async ({ admin }: TestServer, name = unique('group')) =>
  (await admin.post('/core/groups/', { name })).body as { pk: string; name: string };

describeJourney('the admin pages', (journey) => {
  test('take far less than 300 kB of compressed script for the first view', async () => {
    const page = await visitAdmin(journey(), '/core/users/');
    await page.waitForLoadState('networkidle');
    const bytes = await page.evaluate<number>(
      `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js'))
        .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`,
    );
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(160_000);
  });

  test('lead on from what is gone: an object to change, and the last page of a list', async () => {
    const { server } = journey();
    const gone = await makeGroup(server);
    await server.admin.delete(`/core/groups/${gone.pk}/`);
    const page = await visitAdmin(journey(), `/edit/core/groups/${gone.pk}/`);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await openAdmin(page, '/core/groups/?page=99&search=Gatehouse');
    await page.getByRole('link', { name: 'Gatehouse Admins' }).waitFor();
    expect(new URL(page.url()).search).toBe('?search=Gatehouse');
    await moveTo(page, '/core/groups/?page=99');
    await page.getByRole('link', { name: 'Gatehouse Admins' }).waitFor();
    expect(new URL(page.url()).search).toBe('');
  });

  test('have short addresses, which lead to the whole ones', async () => {
    const page = await visitAdmin(journey(), '/users/?search=admin');
    await page.getByRole('rowheader', { name: 'admin', exact: true }).waitFor();
    expect(page.url()).toContain('/if/admin/core/users/?search=admin');
    await moveTo(page, '/groups/');
    await page.getByRole('link', { name: 'Gatehouse Admins' }).waitFor();
    await moveTo(page, '/events/rules/');
    await expect.poll(() => heading(page).innerText()).toBe('Notification rules');
    await moveTo(page, '/users/nobody/else/');
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await page.waitForLoadState('networkidle');
  });

  test('are found by other words for them, and so are actions', async () => {
    const page = await visitAdmin(journey(), '/core/groups/', { colorScheme: 'light' });
    const find = async (text: string) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Pages, objects and actions' }).fill(text);
    };
    await find('webhook');
    await page.getByRole('option', { name: 'Notification transports Page' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    await find('dark');
    await page.getByRole('option', { name: 'Colours: Dark' }).click();
    await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe('dark');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    await find('new grafana');
    await page.getByRole('option', { name: 'Connect an application: “grafana”' }).click();
    await page.getByRole('link', { name: /Grafana/ }).waitFor();
    await find('invite');
    await page.getByRole('option', { name: 'Invite a user' }).click();
    await page.getByRole('dialog').waitFor();
    await page.waitForLoadState('networkidle');
  });

  test('tell a user without rights so, and lead to their account', async () => {
    const { pk, username } = await journey().server.user();
    const page = await visitAdmin(journey(), '/core/users/', { user: pk });
    await page.getByRole('heading', { name: 'Nothing to administer' }).waitFor();
    await page.getByText(username).waitFor();
    expect(await page.getByRole('navigation').count()).toBe(0);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    for (const path of ['/core/applications/', '/applications/new/', '/flows/instances/', '/access/', '/system/']) {
      await moveTo(page, path);
      expect([path, await heading(page).innerText()]).toEqual([path, 'Nothing to administer']);
    }
    expect(asked).toEqual([]);
    await page.getByRole('link', { name: 'Go to your account' }).click();
    await page.waitForURL('**/if/user/');
  });

  test('offer a delegate what they may do, and nothing else', async () => {
    const { server } = journey();
    const [open, closed] = [await makeGroup(server), await makeGroup(server)];
    const { pk } = await server.user(['svc_core.view_group']);
    await server.admin.post(`/rbac/permissions/assigned_by_users/${pk}/assign/`, {
      ...{ permissions: ['svc_core.change_group'], model: 'svc_core.group', object_pk: open.pk },
    });
    const page = await visitAdmin(journey(), '/core/groups/', { user: pk });
    await page.getByRole('table').waitFor();
    const menu = page.getByRole('navigation', { name: 'Administration' }).getByRole('link');
    expect(await menu.allInnerTexts()).toEqual(['Start', 'Groups', 'Everything']);
    expect(await page.getByRole('link', { name: 'New group' }).count()).toBe(0);
    expect(await page.getByRole('checkbox').count()).toBe(0);
    await page.getByRole('link', { name: closed.name }).click();
    await page.locator('.facts').first().waitFor();
    expect(await page.getByRole('link', { name: 'Edit' }).count()).toBe(0);
    await moveTo(page, `/core/groups/${open.pk}/`);
    await page.getByRole('link', { name: 'Edit' }).click();
    expect(await page.getByRole('button', { name: 'Delete…' }).count()).toBe(0);
    const name = unique('renamed');
    await fillIn(page, server, 'name', name);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name }).waitFor();
    for (const [path, words] of [
      [`/edit/core/groups/${closed.pk}/`, 'You do not have permission to change this.'],
      ['/new/core/groups/', 'You do not have permission to create one.'],
      ['/core/users/', 'Page not found'],
      ['/admin/settings/', 'Page not found'],
    ] as const) {
      await moveTo(page, path);
      await page.getByText(words).waitFor();
      expect([path, await page.getByRole('button', { name: /^(Save|Create)$/ }).count()]).toEqual([path, 0]);
    }
    // What they may not see or make is not found either.
    await page.keyboard.press('Control+k');
    await page.keyboard.type('new group');
    await page.getByText('No results for “new group”.').waitFor();
    const { username } = await server.user([], { username: unique('hidden') });
    await page.getByRole('combobox', { name: 'Pages, objects and actions' }).fill(username);
    await page.getByText(`No results for “${username}”.`).waitFor();
    await page.waitForLoadState('networkidle');
  });

  test('keep search, filters, order and page of a list in the address', async () => {
    const { server } = journey();
    const mark = unique('many');
    for (let at = 0; at < 60; at++) await makeGroup(server, `${mark} ${String(at).padStart(2, '0')}`);
    const page = await visitAdmin(journey(), '/core/groups/');
    await page.getByLabel('Search', { exact: true }).fill(mark);
    await page.getByText('60 groups').waitFor();
    expect(new URL(page.url()).searchParams.get('search')).toBe(mark);
    await page.getByRole('link', { name: 'Next' }).click();
    await page.getByText('Page 2 of 2').waitFor();
    await expect.poll(() => page.getByRole('row').count()).toBe(11);
    await page.getByRole('columnheader').getByRole('link', { name: 'Name' }).click();
    await expect.poll(() => page.getByRole('rowheader').first().innerText()).toBe(`${mark} 59`);
    await page.getByLabel('Add a filter').selectOption('is_superuser');
    await page.getByLabel('Superuser', { exact: true }).selectOption('true');
    await page.getByText('Nothing matches.').waitFor();
    expect(new URL(page.url()).search).toBe(`?search=${mark}&ordering=-name&is_superuser=true`);
    await page.reload();
    await page.getByText('Nothing matches.').waitFor();
    await page.getByRole('button', { name: 'Remove the filter Superuser' }).click();
    await expect.poll(() => page.getByRole('rowheader').first().innerText()).toBe(`${mark} 59`);
    await page.goBack();
    await page.getByText('Nothing matches.').waitFor();
  });

  test('say of a count that it has stopped', async () => {
    const page = await visitAdmin(journey(), '/core/groups/');
    // As the server says of tables with more rows than it counts.
    await page.route('**/api/v3/admin/page/**', async (route) => {
      const response = await route.fetch();
      const { answers, ...rest } = await response.json();
      const [{ body, ...first }] = answers;
      const pagination = { ...body.pagination, count: 100_000, total_pages: 100_000 };
      const bounded = { ...first, is_at_least: true, body: { ...body, pagination } };
      await route.fulfill({ response, json: { answers: [bounded], ...rest } });
    });
    await page.route('**/api/v3/events/events/?**', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, headers: { ...response.headers(), 'gatehouse-count': 'at-least' } });
    });
    const some = {
      'events/events/facets/?**': ['usernames', 'client_ips', 'applications'],
      'admin/overview/': ['week'],
    };
    for (const [path, at_least] of Object.entries(some))
      await page.route(`**/api/v3/${path}`, async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...(await response.json()), at_least } });
      });
    await openAdmin(page, '/core/users/?page_size=1');
    await page.getByText('more than 100,000 users').waitFor();
    await page.getByText('Page 1', { exact: true }).waitFor();
    await openAdmin(page, '/events/events/');
    await page.getByText(/^more than \d+ events?$/).waitFor();
    await page.getByRole('region', { name: 'Action' }).waitFor();
    const figures = (title: string) => page.getByRole('region', { name: title }).locator('.small').allInnerTexts();
    expect((await figures('Person')).filter((text) => !/^at least [\d,]+$/.test(text))).toEqual([]);
    expect((await figures('Action')).filter((text) => !/^[\d,]+$/.test(text))).toEqual([]);
    expect((await figures('Action')).length).toBeGreaterThan(0);
    await openAdmin(page, '/');
    expect(await page.locator('.legend strong').allInnerTexts()).toEqual(
      Array(3).fill(expect.stringMatching(/^at least /)),
    );
    await page.waitForLoadState('networkidle');
  });

  test('have the colours that one chooses, also when they are opened again', async () => {
    const page = await visitAdmin(journey(), '/core/groups/', { colorScheme: 'light' });
    const theme = () => page.locator('html').getAttribute('data-theme');
    const ink = () => page.evaluate<string>('getComputedStyle(document.body).color');
    const light = await ink();
    expect(await theme()).toBe('automatic');
    await page.locator('summary', { hasText: 'Appearance' }).click();
    await page.getByRole('group', { name: 'Colours' }).getByLabel('Dark').check();
    expect(await theme()).toBe('dark');
    await expect.poll(ink).not.toBe(light);
    const dark = await ink();
    await openAdmin(page, '/events/events/');
    expect([await theme(), await ink()]).toEqual(['dark', dark]);
    await page.locator('summary', { hasText: 'Appearance' }).click();
    await page.getByRole('group', { name: 'Colours' }).getByLabel('Automatic').check();
    await expect.poll(ink).toBe(light);
    await page.waitForLoadState('networkidle');
  });

  test('have rows of 36 pixels, or of 44 for those who choose comfortable ones', async () => {
    const page = await visitAdmin(journey(), '/core/groups/');
    const height = () =>
      page
        .getByRole('row', { name: 'Gatehouse Admins' })
        .evaluate((row) => Math.round(row.getBoundingClientRect().height));
    await expect.poll(height).toBe(36);
    await page.locator('summary', { hasText: 'Appearance' }).click();
    await page.getByRole('group', { name: 'Density' }).getByLabel('Comfortable').check();
    await expect.poll(height).toBe(44);
    await page.keyboard.press('Escape');
    expect(await page.getByRole('group', { name: 'Density' }).count()).toBe(0);
    await openAdmin(page, '/core/groups/');
    await expect.poll(height).toBe(44);
    await page.waitForLoadState('networkidle');
  });

  test('have an icon beside each entry of the menu and each kind of object, and a face beside each person', async () => {
    const page = await visitAdmin(journey(), '/stages/all/');
    const entries = page.getByRole('navigation', { name: 'Administration' }).getByRole('link');
    await expect.poll(() => entries.count()).toBeGreaterThan(20);
    expect(await entries.filter({ has: page.locator('svg') }).count()).toBe(await entries.count());
    const iconOf = (name: string) => page.getByRole('link', { name }).locator('svg').innerHTML();
    expect(await iconOf('default-authentication-login')).not.toBe(await iconOf('default-authentication-password'));
    await openAdmin(page, '/core/users/');
    const inHeader = page.locator('header .face');
    const inList = page.getByRole('rowheader', { name: 'admin', exact: true }).locator('.face');
    for (const name of ['data-letters', 'data-colour'])
      expect(await inList.getAttribute(name)).toBe(await inHeader.getAttribute(name));
    expect(await inList.getAttribute('data-letters')).toBe('GA');
    await page.waitForLoadState('networkidle');
  });

  test('say at its field what the server does not accept', async () => {
    const { server } = journey();
    const { name } = await makeGroup(server);
    const page = await visitAdmin(journey(), '/new/core/groups/');
    await page.getByRole('button', { name: 'Create' }).click();
    const field = page.locator('[data-field="name"]');
    await field.getByText('This field is required.').waitFor();
    await expect.poll(() => field.getByRole('textbox').evaluate((input) => input.matches(':focus'))).toBe(true);
    await fillIn(page, server, 'name', name);
    await page.getByRole('button', { name: 'Create' }).click();
    await field.getByText('This field must be unique.').waitFor();
    await openAdmin(page, '/new/policies/expression/');
    await fillIn(page, server, 'name', unique('policy'));
    await fillIn(page, server, 'expression', 'return 1\nreturn ((');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.locator('[data-field="expression"] .field-errors').getByText('(line 2').waitFor();
    await page.locator('.cm-lintRange-error').waitFor();
  });

  test('say what is wrong with an object as a whole beside what is wrong with its members', async () => {
    const page = await visitAdmin(journey(), '/new/core/groups/');
    const complaints = {
      name: ['This field must be unique.'],
      non_field_errors: ['name is taken elsewhere', 'Two parents cannot be.'],
    };
    await page.route('**/api/v3/core/groups/', (route) => route.fulfill({ status: 400, json: complaints }));
    await page.getByRole('button', { name: 'Create' }).click();
    await page.locator('[data-field="name"]').getByText('This field must be unique.').waitFor();
    await page.locator('.form-foot').getByText('Two parents cannot be.', { exact: true }).waitFor();
    expect(await page.getByText('taken elsewhere').count()).toBe(0);
  });

  test('keep the rest of a page when a part of it cannot be shown', async () => {
    const page = await visitAdmin(journey(), '/everything/', { tolerates: /TypeError|null/ });
    await page.route('**/api/v3/admin/overview/', async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), top_applications: null } });
    });
    await openAdmin(page, '/');
    await page.getByText('This part could not be shown.').waitFor();
    await page.getByRole('heading', { name: 'The last week' }).waitFor();
    await page.getByRole('heading', { name: 'Health' }).waitFor();
    await page.route('**/api/v3/admin/overview/', (route) => route.fulfill({ json: {} }));
    await openAdmin(page, '/');
    await page.getByText('This part could not be shown.').first().waitFor();
    await page.getByRole('navigation', { name: 'Administration' }).getByRole('link', { name: 'Users' }).click();
    await page.getByRole('heading', { name: 'Users', level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
  });

  test('call kinds of devices as people know them, and each once', async () => {
    const { server } = journey();
    const role = (await server.admin.post('/rbac/roles/', { name: unique('role') })).body;
    const page = await visitAdmin(journey(), '/everything/');
    const devices = page.getByRole('region', { name: 'Devices' }).getByRole('link');
    expect((await devices.allInnerTexts()).toSorted()).toEqual(
      ['Authenticator apps', 'Passkeys', 'Recovery code lists', 'SMS devices', 'Two-factor devices'].toSorted(),
    );
    await openAdmin(page, `/rbac/roles/${role.pk}/`);
    for (const name of ['Authenticator app', 'Passkey', 'Recovery code list'])
      await page.getByRole('rowheader', { name, exact: true }).waitFor();
    expect(await page.getByText('TOTP Device').count()).toBe(0);
  });

  test('are called in the menu, in headings, in titles and in the search by one name each', async () => {
    const page = await visitAdmin(journey(), '/');
    const menu = page.getByRole('navigation', { name: 'Administration' }).getByRole('link');
    const places = await menu.evaluateAll((links) =>
      links.map((link) => [link.textContent, link.getAttribute('href')]),
    );
    expect(places.length).toBeGreaterThan(20);
    for (const [name, href] of places) {
      await moveTo(page, String(href).replace('/if/admin', ''));
      expect([href, await heading(page).innerText(), await page.title()]).toEqual([href, name, `${name} · Gatehouse`]);
    }
    await page.keyboard.press('Control+k');
    for (const [name] of places) {
      await page.keyboard.press('Control+a');
      await page.keyboard.type(String(name));
      await page.getByRole('option', { name: `${name} Page`, exact: true }).waitFor();
    }
    await openAdmin(page, '/stages/authenticator/webauthn/');
    expect(await heading(page).innerText()).toBe('Passkey setup stages');
    await moveTo(page, '/events/system_tasks/');
    await page.locator('tbody a').first().click();
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Jobs' }).waitFor();
  });

  test('tell what objects hold in words, not as identifiers or JSON', async () => {
    const { server } = journey();
    const group = await makeGroup(server);
    const { pk } = await server.user();
    await server.admin.post(`/rbac/permissions/assigned_by_users/${pk}/assign/`, {
      ...{ permissions: ['svc_core.change_group'], model: 'svc_core.group', object_pk: group.pk },
    });
    const page = await visitAdmin(journey(), `/core/users/${pk}/?tab=rights`);
    const rights = page.getByRole('list', { name: 'Rights' });
    await rights.getByText('Can change group', { exact: true }).waitFor();
    await rights.getByText(`svc_core.change_group on ${group.name}`).waitFor();

    const event = (await server.admin.get('/events/events/?action=model_updated')).body.results[0];
    await moveTo(page, `/events/events/${event.pk}/`);
    await page.getByRole('table').getByText('svc_core.change_group', { exact: true }).waitFor();
    const facts = page.locator('.facts', { hasText: 'Object changed' });
    await facts.getByText('Object changed', { exact: true }).waitFor();
    expect(await facts.innerText()).not.toMatch(/[{}]/);

    const provider = (
      await server.admin.post('/providers/oauth2/', {
        name: unique('provider'),
        access_token_validity: 'minutes=90',
        redirect_uris: [
          { matching_mode: 'strict', url: 'https://a.example/back' },
          { matching_mode: 'regex', url: 'https://b.example/.*' },
        ],
      })
    ).body;
    await moveTo(page, `/providers/oauth2/${provider.pk}/`);
    for (const text of ['1 hour, 30 minutes', 'https://a.example/back', 'https://b.example/.* (Regular expression)'])
      await page.locator('.facts').getByText(text, { exact: true }).waitFor();

    await moveTo(page, '/core/authenticated_sessions/');
    await page
      .getByRole('cell', { name: /on Linux/ })
      .first()
      .waitFor();
    expect(await page.getByText('Mozilla/').count()).toBe(0);
    await page.getByRole('link', { name: 'admin', exact: true }).first().click();
    await expect.poll(() => page.title()).toBe('admin · Gatehouse');
  });

  test('show what would change and the command for it, and save only then', async () => {
    const { server } = journey();
    const group = await makeGroup(server);
    const page = await visitAdmin(journey(), `/edit/core/groups/${group.pk}/`);
    const name = unique("renamed 'so'");
    await fillIn(page, server, 'name', name);
    await page.getByRole('button', { name: 'Preview' }).click();
    const preview = page.getByRole('dialog', { name: 'What would change' });
    await preview.getByRole('row', { name: `Name ${group.name} ${name}` }).waitFor();
    expect(new URL(page.url()).searchParams.get('dialog')).toBe('preview');
    expect((await server.admin.get(`/core/groups/${group.pk}/`)).body.name).toBe(group.name);
    await preview.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'As curl' }).click();
    const command = await page.getByRole('dialog').locator('code').innerText();
    expect(command).toContain(
      `curl --request PATCH '${server.url.replace('127.0.0.1', 'localhost')}/api/v3/core/groups/${group.pk}/'`,
    );
    expect(command).toContain(`"name": "${name.replaceAll("'", String.raw`'\''`)}"`);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name }).waitFor();
    expect((await server.admin.get(`/core/groups/${group.pk}/`)).body.name).toBe(name);
    const drafts = await page.evaluate<string[]>('Object.keys(sessionStorage)');
    expect(drafts.filter((key) => key.includes(group.pk))).toEqual([]);
  });

  test('show both versions when another user was quicker, and overwrite nothing', async () => {
    const { server } = journey();
    const group = await makeGroup(server);
    const page = await visitAdmin(journey(), `/edit/core/groups/${group.pk}/`);
    const mine = unique('mine');
    await fillIn(page, server, 'name', mine);
    const theirs = unique('theirs');
    await server.admin.patch(`/core/groups/${group.pk}/`, { name: theirs, is_superuser: true });
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Someone else has changed this in the meantime' });
    await dialog.getByRole('row', { name: `Name ${theirs} ${mine}` }).waitFor();
    await dialog.getByRole('row', { name: 'Superuser Yes No' }).waitFor();
    expect((await server.admin.get(`/core/groups/${group.pk}/`)).body.name).toBe(theirs);
    await dialog.getByRole('button', { name: 'Keep my changes' }).click();
    await page.getByText('These are your unsaved changes from before.').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: mine }).waitFor();
    const stored = (await server.admin.get(`/core/groups/${group.pk}/`)).body;
    expect(stored).toMatchObject({ name: mine, is_superuser: true });
    await page.getByRole('link', { name: 'Edit' }).click();
    await fillIn(page, server, 'name', unique('not wanted'));
    await server.admin.patch(`/core/groups/${group.pk}/`, { name: theirs });
    await page.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('button', { name: 'Discard mine' }).click();
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => page.locator('[data-field="name"] input').inputValue()).toBe(theirs);
  });

  test('keep unsaved changes when the page is left, but no secrets', async () => {
    const { server } = journey();
    const page = await visitAdmin(journey(), '/new/providers/oauth2/');
    await fillIn(page, server, 'name', 'Half done');
    await fillIn(page, server, 'client_secret', 'a-secret-that-is-not-kept');
    await page.getByRole('button', { name: 'As curl' }).click();
    const command = await page.getByRole('dialog').locator('code').innerText();
    expect(command).toContain('"client_secret": "…"');
    await page.keyboard.press('Escape');
    // Closing the window asks first.
    const mayLeave = () => page.evaluate<boolean>("dispatchEvent(new Event('beforeunload', { cancelable: true }))");
    expect(await mayLeave()).toBe(false);
    await page.getByRole('navigation', { name: 'Administration' }).getByRole('link', { name: 'Users' }).click();
    await page
      .getByText('Your unsaved changes to a new OAuth2/OpenID provider are kept in this window, except secrets: Name.')
      .waitFor();
    const kept = await page.evaluate<string>('JSON.stringify(sessionStorage)');
    expect(kept).toContain('Half done');
    expect(kept).not.toContain('a-secret-that-is-not-kept');
    await page.goBack();
    await page.getByText('These are your unsaved changes from before.').waitFor();
    const name = page.locator('[data-field="name"]').getByRole('textbox');
    expect(await name.inputValue()).toBe('Half done');
    await page.getByRole('button', { name: 'Discard them' }).click();
    expect(await name.inputValue()).toBe('');
    expect(await mayLeave()).toBe(true);
  });

  test('show before deleting what goes with it', async () => {
    const { server } = journey();
    const group = await makeGroup(server);
    const below = (await server.admin.post('/core/groups/', { name: unique('below'), parent: group.pk })).body;
    const page = await visitAdmin(journey(), `/core/groups/${group.pk}/`);
    await chooseAction(page, 'Delete…');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('link', { name: below.name }).waitFor();
    await dialog.getByText('no longer refers to it').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect((await server.admin.get(`/core/groups/${group.pk}/`)).status).toBe(200);
  });

  test('take the name of what can lock people out before they delete it', async () => {
    const { server } = journey();
    const group = (await server.admin.post('/core/groups/', { name: unique('root'), is_superuser: true })).body;
    const page = await visitAdmin(journey(), `/core/groups/${group.pk}/?dialog=delete`);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog.getByText(`Type “${group.name}” first.`).waitFor();
    expect((await server.admin.get(`/core/groups/${group.pk}/`)).status).toBe(200);
    await dialog.getByLabel(`Type ${group.name} to confirm`).fill(group.name);
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('heading', { name: 'Groups', level: 1 }).waitFor();
    expect((await server.admin.get(`/core/groups/${group.pk}/`)).status).toBe(404);
    // The search offers what was opened last, but nothing that is gone.
    const [other, found] = [await makeGroup(server), page.getByRole('dialog', { name: 'Search' })];
    await moveTo(page, `/core/groups/${other.pk}/`);
    await server.admin.delete(`/core/groups/${other.pk}/`);
    await moveTo(page, '/everything/');
    await page.keyboard.press('Control+k');
    await found.getByRole('option', { name: other.name }).click();
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await page.keyboard.press('Control+k');
    await found.getByRole('option').first().waitFor();
    for (const { name } of [group, other]) expect(await found.getByRole('option', { name }).count()).toBe(0);
    await page.keyboard.press('Escape');
    const stage = (await server.admin.get('/stages/all/?name=default-authentication-login')).body.results[0];
    await openAdmin(page, `/stages/user_login/${stage.pk}/?dialog=delete`);
    await dialog.getByLabel('Type default-authentication-login to confirm').waitFor();
    const flow = '/flows/instances/default-authentication-flow/';
    const { steps } = (await server.admin.get(`${flow}design/`)).body;
    const { pk } = steps.find(({ stage: key }: { stage: string }) => key === stage.pk);
    await openAdmin(page, `/flows/bindings/${pk}/?dialog=delete`);
    await dialog.getByLabel(/^Type default-authentication-flow › default-authentication-login/).waitFor();
    await openAdmin(page, `${flow}?step=${pk}&pane=place&dialog=remove-step`);
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await dialog.getByText('Type “default-authentication-login” first.').waitFor();
    await dialog.getByLabel('Type default-authentication-login to confirm').fill('default-authentication-log');
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.waitForLoadState('networkidle');
    expect(await dialog.count()).toBe(1);
    expect((await server.admin.get(`/flows/bindings/${pk}/`)).status).toBe(200);
    await page.waitForLoadState('networkidle');
  });

  test('find pages, actions and objects with the keyboard alone', async () => {
    const { server } = journey();
    const group = await makeGroup(server, unique('lighthouse'));
    const page = await visitAdmin(journey(), '/');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Pages, objects and actions' }).waitFor();
    await page.keyboard.type(group.name);
    await page.getByRole('option', { name: `${group.name} Group` }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: group.name, level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/if/admin/core/groups/${group.pk}/`);
    await page.keyboard.press('/');
    await page.keyboard.type('new deny');
    await page.getByRole('option', { name: 'New deny stage' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'New deny stage' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: group.name, level: 1 }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('mallory');
    await page.getByRole('option', { name: 'Find “mallory” in events' }).click();
    await page.waitForURL('**/if/admin/events/events/?search=mallory');
    await page.goBack();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('h');
    await expect.poll(() => heading(page).innerText()).toBe('Start');
  });

  test('choose a kind first, and upload a picture', async () => {
    const { server } = journey();
    const page = await visitAdmin(journey(), '/stages/all/');
    await page.getByRole('link', { name: 'New stage' }).click();
    await page.getByRole('link', { name: 'Deny stage' }).click();
    const name = unique('stop');
    await fillIn(page, server, 'name', name);
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name }).waitFor();
    const slug = unique('pictured');
    await server.admin.post('/core/applications/', { name: slug, slug });
    await moveTo(page, `/edit/core/applications/${slug}/`);
    const upload = async (file: string) => {
      await page.getByLabel('icon', { exact: false }).setInputFiles({
        ...{ name: 'icon.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(file) },
      });
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
    };
    await upload('no picture');
    await page.getByText('Upload a PNG, JPEG, GIF, WebP, ICO or SVG image.').waitFor();
    await upload('<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>');
    await page.getByText('The file is stored.').waitFor();
    const icon = async () => (await server.admin.get(`/core/applications/${slug}/`)).body.meta_icon;
    expect(await icon()).toContain('/media/');
    await page.getByLabel('Or its address').fill('/static/logo.svg');
    await page.getByRole('button', { name: 'Use this address' }).click();
    await expect.poll(icon).toContain('/static/logo.svg');
    await page.getByRole('button', { name: 'Remove what is stored' }).click();
    await expect.poll(icon).toBeNull();
    await page.waitForLoadState('networkidle');
  });

  test('ask for a page at most three times, and twice for one of a kind that was seen before', async () => {
    const page = await visitAdmin(journey(), '/');
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/api/v3/')) asked.push(new URL(request.url()).pathname);
    });
    const count = async (address: string): Promise<number> => {
      asked.length = 0;
      await moveTo(page, address);
      await page.locator('table, .facts, .empty').first().waitFor();
      await page.waitForLoadState('networkidle');
      return asked.length;
    };
    for (const address of ['/core/tokens/', '/flows/bindings/', '/core/brands/', '/policies/bindings/']) {
      await count(address);
      expect([address, await count(`${address}?page_size=100`)]).toEqual([address, expect.toSatisfy((n) => n <= 2)]);
    }
    expect(await count('/providers/oauth2/')).toBeLessThanOrEqual(3);
  });

  test('say what the server does not accept in the language of the page', async () => {
    const page = await visitAdmin(journey(), '/new/core/users/', { locale: 'de' });
    await page.getByRole('textbox', { name: 'E-Mail' }).fill('nobody');
    await page.getByRole('button', { name: 'Erstellen', exact: true }).click();
    await page.getByText('Geben Sie eine gültige E-Mail-Adresse ein.').waitFor();
    await page.getByText('Dieses Feld ist erforderlich.').first().waitFor();
    expect(await page.getByText('This field is required.').count()).toBe(0);
    await page.waitForLoadState('networkidle');
  });

  test('ask nobody for what the server keeps up to date itself', async () => {
    for (const [path, asked, kept] of [
      ['/new/core/users/', 'Username (required)', 'Last login'],
      ['/new/propertymappings/provider/scope/', 'Scope name (required)', 'Managed'],
    ] as const) {
      const page = await visitAdmin(journey(), path);
      await page.getByLabel(asked).waitFor();
      expect([path, await page.getByLabel(kept).count()]).toEqual([path, 0]);
      await page.waitForLoadState('networkidle');
    }
  });

  test('have settings of the whole server as a form', async () => {
    const { server } = journey();
    const page = await visitAdmin(journey(), '/admin/settings/');
    await fillIn(page, server, 'default_token_duration', 'hours=5');
    await page.getByText('That is 5 hours.').waitFor();
    const field = page.locator('[data-field="default_token_duration"]');
    await field.getByLabel(/^Unit of/).selectOption('minutes');
    await field.getByRole('spinbutton').fill('90');
    await field.getByLabel(/^Unit of/).selectOption('Several units');
    expect(await field.getByRole('textbox').inputValue()).toBe('minutes=90');
    await fillIn(page, server, 'default_token_duration', 'minutes=1530');
    await page.getByText('That is 1 day, 1 hour, 30 minutes.').waitFor();
    // Several units are one number when they are shown again.
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The settings are saved.').waitFor();
    await server.admin.patch('/admin/settings/', { default_token_duration: 'days=1;hours=2' });
    await openAdmin(page, '/admin/settings/');
    expect(await field.getByRole('spinbutton').inputValue()).toBe('26');
    expect(await page.getByText('days=1').count()).toBe(0);
    await fillIn(page, server, 'default_token_duration', 'minutes=-5');
    await page.getByText('That is 5 minutes earlier.').waitFor();
    await fillIn(page, server, 'default_token_duration', 'an hour');
    await page.getByText('Write it like “hours=1;minutes=30”.').waitFor();
    await fillIn(page, server, 'default_token_duration', 'hours=5');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The settings are saved.').waitFor();
    expect((await server.admin.get('/admin/settings/')).body.default_token_duration).toBe('hours=5');
    const reader = await server.user(['svc_rbac.view_system_settings']);
    const second = await visitAdmin(journey(), '/admin/settings/', { user: reader.pk });
    await second.getByText('5 hours', { exact: true }).waitFor();
    expect(await second.getByRole('button', { name: 'Save' }).count()).toBe(0);
    await second.waitForLoadState('networkidle');
  });
});
