import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { moveTo, openAdmin, visitAdmin } from '../support/admin-visit.ts';
import { axeViolations } from '../support/axe.ts';
import { describeJourney } from '../support/journey.ts';
import { unique } from '../support/make-walk.ts';
import { makeApplication, makeProvider } from '../support/providers.ts';

describeJourney('the events page of administrators', (journey) => {
  // A text was made of each, which failed and left an empty page.
  test('opens an event of a user who wrote objects for texts', async () => {
    const { user } = journey().server;
    const other = await user(['svc_events.add_event']);
    const wordless = { toString: 1, valueOf: 1 };
    const http_request = { method: wordless, path: wordless, request_id: wordless };
    const action = `custom_${unique('').slice(1)}`;
    const message = unique('Something happened');
    await other.api.post('/events/events/', { action, app: 'test', context: { message, http_request } });
    const page = await visitAdmin(journey(), `/events/events/?action=${action}`);
    await page.getByText(message).first().click();
    await page.getByRole('link', { name: 'Open the event' }).click();
    await page.getByRole('heading', { level: 1, name: message }).waitFor();
  });

  test('names the objects that a change refers to', async () => {
    const { server } = journey();
    const name = unique('wiki');
    const provider = await makeProvider(server, { name: `${name} provider` });
    await makeApplication(server, { name, provider: provider.pk });
    const page = await visitAdmin(journey(), `/events/events/?action=model_created&search=${name}`);
    await page.getByText(`created the application ${name}.`).click();
    await page.getByRole('row', { name: `Provider – ${name} provider`, exact: true }).waitFor();
  });

  test('shows sentences, filters by what is chosen, follows live and exports', async () => {
    const { admin, user } = journey().server;
    const suffix = unique('').slice(1);
    const action = `custom_${suffix}`;
    const other = await user(['svc_events.add_event'], { username: unique('other') });
    const add = async (message: string, { api } = { api: admin }) =>
      expect((await api.post('/events/events/', { action, app: 'test', context: { message } })).status).toBe(201);
    await add('The first thing happened.');
    await add('Somebody else did it.', other);
    const name = unique('group');
    const { body: group } = await admin.post('/core/groups/', { name });
    await admin.patch(`/core/groups/${group.pk}/`, { name: `${name} renamed` });
    await admin.post(`/core/groups/${group.pk}/add_user/`, { pk: other.pk });
    const requests: string[] = [];
    const page = await visitAdmin(journey(), '/everything/');
    page.on('request', (request) => requests.push(new URL(request.url()).pathname));
    await openAdmin(page, `/events/events/?search=${name}`);
    await page.waitForLoadState('networkidle');
    expect(requests.filter((path) => path.startsWith('/api/')).toSorted()).toEqual([
      '/api/v3/admin/interface/',
      '/api/v3/events/events/',
      '/api/v3/events/events/facets/',
    ]);
    await page.getByText(`admin added ${other.username} to ${name} renamed.`).click();
    await page.getByRole('row', { name: `Users – ${other.username}`, exact: true }).waitFor();
    await page.getByText(`admin added ${other.username} to ${name} renamed.`).click();
    await page.getByText(`admin changed the group ${name} renamed (name).`).click();
    const changes = page.getByRole('region', { name: 'What changed' });
    await changes.getByRole('row', { name: `Name ${name} ${name} renamed`, exact: true }).waitFor();
    for (const width of [1280, 375]) {
      await page.setViewportSize({ width, height: 800 });
      await expect.poll(() => axeViolations(page)).toEqual([]);
    }
    await page.setViewportSize({ width: 1280, height: 800 });

    await moveTo(page, '/events/events/');
    await page.getByRole('link', { name: new RegExp(suffix) }).click();
    await page.getByText('2 events', { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get('action')).toBe(action);
    const people = page.getByRole('region', { name: 'Person' }).getByRole('link');
    await people.filter({ hasText: other.username }).waitFor();
    await people.filter({ hasText: 'admin' }).click();
    await page.getByText('1 event', { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get('username')).toBe('admin');
    await page.getByRole('link', { name: 'Follow live' }).click();
    await add('Somebody else did it again.', other);
    await add('Another thing happened.');
    await page.getByText('Another thing happened.').waitFor();
    await page.getByText('Following: 1 new event.').waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export CSV' }).click();
    const lines = readFileSync(await (await download).path(), 'utf8')
      .trim()
      .split('\r\n');
    expect(lines.slice(1).map((line) => line.split(',')[2])).toEqual([
      'Another thing happened.',
      'The first thing happened.',
    ]);
    const second = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export NDJSON' }).click();
    const exported = readFileSync(await (await second).path(), 'utf8')
      .trim()
      .split('\n');
    expect(exported.map((line) => JSON.parse(line).action)).toEqual([action, action]);
    await page.getByRole('link', { name: 'Stop following' }).click();
    const asked = page.waitForRequest((request) => request.url().includes('/events/events/?'));
    const charted = page.waitForResponse((response) => response.url().includes('/facets/'));
    await page.getByLabel('Period').selectOption('day');
    const since = new URL((await asked).url()).searchParams.get('created__gte');
    expect(Date.now() - Date.parse(String(since))).toBeLessThanOrEqual(24 * 3_600_000);
    await page.getByText('2 events', { exact: true }).waitFor();
    // Dragging over the chart chooses hours, here some without these events. It ends when the chart is drawn again.
    await charted;
    const chart = await page.getByRole('img', { name: 'Events over time' }).locator('.u-over').boundingBox();
    const across = (share: number) => (chart?.x ?? 0) + (chart?.width ?? 0) * share;
    await page.mouse.move(across(0.1), (chart?.y ?? 0) + 50);
    await page.mouse.down();
    await page.mouse.move(across(0.5), (chart?.y ?? 0) + 50, { steps: 5 });
    await page.mouse.up();
    await page.getByText('There are no such events.').waitFor();
    const [from, to] = ['from', 'to'].map((name) => Date.parse(new URL(page.url()).searchParams.get(name) ?? ''));
    expect(Number(from)).toBeLessThan(Number(to));
    await page.getByRole('link', { name: 'Show all' }).click();
    await page.getByText('2 events', { exact: true }).waitFor();
    await page.getByText('The first thing happened.').click();
    await page.getByRole('link', { name: 'Create a rule from this…' }).click();
    const dialog = page.getByRole('dialog');
    const administrators = dialog.getByRole('combobox', { name: 'Group' });
    await expect.poll(() => administrators.inputValue()).toBe('Gatehouse Admins');
    await dialog.getByRole('combobox', { name: 'Group' }).fill(name);
    await dialog.getByRole('option', { name }).click();
    await dialog.getByRole('combobox', { name: 'Transports' }).fill('default-local');
    await dialog.getByRole('option', { name: 'default-local-transport' }).click();
    await dialog.getByLabel('Severity').selectOption('Alert');
    await expect.poll(() => axeViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByText(/^The rule .* works from now on\.$/).waitFor();
    const [rule] = (await admin.get(`/events/rules/?search=${name}`)).body.results;
    expect(rule).toMatchObject({ name: expect.stringContaining(suffix), group: group.pk, severity: 'alert' });
    expect(rule.transports).toHaveLength(1);
    expect((await admin.get(`/policies/bindings/?target=${rule.pk}`)).body.results).toMatchObject([
      { policy_obj: { name: rule.name } },
    ]);
    await openAdmin(page, `/events/rules/${rule.pk}/`);
    await page.getByText(/^When an event passes .+, notify .+ by Web interface\.$/).waitFor();
    await page.waitForLoadState('networkidle');
  });

  test('shows unread notifications with links to what they are about, and finds it again', async () => {
    const { server } = journey();
    const { admin } = server;
    const group = (await admin.post('/core/groups/', { name: unique('Staff') })).body;
    const { pk, api } = await server.user(['svc_core.view_group', 'svc_events.view_event'], { groups: [group.pk] });
    const model = { app: 'svc_core', model_name: 'group', pk: group.pk.replaceAll('-', ''), name: group.name };
    const event = (message: string) =>
      admin.post('/events/events/', { action: 'custom_bell', app: 'svc_core', context: { message, model } });
    const first = (await event('before')).body;
    const rule = { event: first.pk, name: unique('rule'), group: group.pk, transports: [], severity: 'alert' };
    expect((await admin.post('/events/rules/from_event/', rule)).status).toBe(201);
    const message = unique('Staff lost its lead');
    await event(message);
    const notifications = async () => (await api.get('/events/notifications/')).body.results;
    const has = (one: { body: string }) => one.body.includes(message);
    await expect.poll(async () => (await notifications()).some(has), { timeout: 20_000 }).toBe(true);
    // The event that the rule was made from may have been matched, too.
    for (const one of (await notifications()).filter((other: { body: string }) => !has(other)))
      await api.patch(`/events/notifications/${one.pk}/`, { seen: true });
    const page = await visitAdmin(journey(), '/core/groups/', { user: pk });
    const bell = page.locator('summary').filter({ hasText: 'Notifications' });
    await expect.poll(() => bell.locator('.bell-count').textContent()).toBe('1 not seen yet');
    await bell.click();
    await page.getByText('Alert', { exact: true }).waitFor();
    await expect.poll(() => axeViolations(page)).toEqual([]);
    const wide = page.viewportSize() ?? { width: 1280, height: 800 };
    await page.setViewportSize({ width: 375, height: 740 });
    const panel = await page.locator('.popover-panel', { has: page.locator('.bell-panel') }).boundingBox();
    expect(panel?.x).toBeGreaterThan(0);
    expect((panel?.x ?? 0) + (panel?.width ?? 0)).toBeLessThan(375);
    await page.setViewportSize(wide);
    await page.getByRole('link', { name: message }).click();
    await page.getByRole('heading', { name: group.name, level: 1 }).waitFor();
    await bell.locator('.bell-count').waitFor({ state: 'detached' });
    // What is marked on the account page counts here, too.
    const [read] = await notifications();
    await api.patch(`/events/notifications/${read.pk}/`, { seen: false });
    await page.evaluate(`sessionStorage.removeItem('gatehouse:unread:${pk}')`);
    await openAdmin(page, '/core/groups/');
    await expect.poll(() => bell.locator('.bell-count').textContent()).toBe('1 not seen yet');
    await page.goto('/if/user/notifications/');
    await page.getByRole('button', { name: 'Mark all as seen' }).click();
    await page.getByText('All are marked as seen.').waitFor();
    await openAdmin(page, '/core/groups/');
    expect(await bell.locator('.bell-count').count()).toBe(0);
    await page.keyboard.press('/');
    await page.getByRole('dialog').getByRole('option').first().getByText(group.name).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: group.name, level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
  });

  test('shows a delegate the events they may see, and no ways to make rules', async () => {
    const { admin, user } = journey().server;
    const message = unique('It happened');
    await admin.post('/events/events/', { action: 'custom_seen', app: 'test', context: { message } });
    const { pk } = await user(['svc_events.view_event']);
    const page = await visitAdmin(journey(), '/events/events/', { user: pk });
    await page.getByText(message).click();
    await page.getByRole('link', { name: 'Open the event' }).waitFor();
    expect(await page.getByRole('link', { name: 'Create a rule from this…' }).count()).toBe(0);
    await page.waitForLoadState('networkidle');
    const other = await user(['svc_core.view_group']);
    const closed = await visitAdmin(journey(), '/events/events/', { user: other.pk });
    await closed.getByRole('heading', { name: 'Page not found' }).waitFor();
    await closed.waitForLoadState('networkidle');
  });

  test('tells a person without rights that there is nothing to administer, and no event', async () => {
    const { admin, user } = journey().server;
    const message = unique('It happened');
    await admin.post('/events/events/', { action: 'custom_unseen', app: 'test', context: { message } });
    const { pk } = await user();
    const page = await visitAdmin(journey(), '/events/events/', { user: pk });
    await page.getByRole('heading', { name: 'Nothing to administer' }).waitFor();
    expect(await page.getByText(message).count()).toBe(0);
    await page.waitForLoadState('networkidle');
  });
});
