import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { moveTo, visitAdmin } from '../support/admin-visit.ts';
import { describeJourney } from '../support/journey.ts';
import { made, unique } from '../support/make-walk.ts';

const isFocused = (locator: Locator) =>
  locator.evaluate((element) => {
    const { activeElement } = element.ownerDocument;
    return element === (activeElement?.shadowRoot?.activeElement ?? activeElement);
  });

const maxStops = 120;

/** Reaches something with the Tab key. */
async function tabTo(page: Page, locator: Locator): Promise<void> {
  await locator.waitFor();
  for (let stop = 0; stop < maxStops; stop++) {
    if (await isFocused(locator)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${maxStops} times Tab did not reach ${locator}`);
}

async function press(page: Page, locator: Locator, key = 'Enter'): Promise<void> {
  await tabTo(page, locator);
  await page.keyboard.press(key);
}

/** Chooses the first object that a text finds. */
async function pick(page: Page, label: string, text: string): Promise<void> {
  const box = page.getByRole('combobox', { name: label, exact: true });
  await tabTo(page, box);
  await page.keyboard.type(text);
  const options = page.locator('.picker').getByRole('option');
  // Until the whole text is searched for, the list has what its beginning finds.
  await expect.poll(async () => (await options.allInnerTexts()).map((option) => option.includes(text))).toEqual([true]);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await options.first().waitFor({ state: 'detached' });
}

/** Escape closes the dialog that is open, and the focus is where it was. */
async function leaveDialog(page: Page, opener: Locator): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  for (let stop = 0; stop < 8; stop++) {
    await page.keyboard.press('Tab');
    const isInside = 'document.activeElement === document.body || document.activeElement.closest("dialog") !== null';
    expect(await page.evaluate(isInside)).toBe(true);
  }
  await page.keyboard.press('Escape');
  // The browser hides it and gives the focus back before the page has taken it away; keys pressed in between are lost.
  await page.locator('dialog').waitFor({ state: 'detached' });
  await expect.poll(() => isFocused(opener)).toBe(true);
}

describeJourney('the keyboard alone', (journey) => {
  test('creates, changes and deletes an object, with pickers, the editor and dialogs', async () => {
    const { server } = journey();
    const parent = await made(server, '/core/groups/', { name: unique('parent') });
    const [name, renamed] = [unique('made'), unique('renamed')];
    const page = await visitAdmin(journey(), '/core/groups/');
    await press(page, page.getByRole('link', { name: 'New group' }));
    await tabTo(page, page.locator('[data-field="name"] input'));
    await page.keyboard.type(name);
    await press(page, page.locator('[data-field="is_superuser"] input'), 'Space');
    await pick(page, 'Parent', parent.name);
    const editor = page.locator('[data-field="attributes"] .cm-content');
    await tabTo(page, editor);
    await page.keyboard.type('{"floor": 3}');
    const curl = page.getByRole('button', { name: 'As curl' });
    await press(page, curl);
    await leaveDialog(page, curl);
    await page.keyboard.press('Shift+Tab');
    await press(page, page.getByRole('button', { name: 'Create' }));
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    const [stored] = (await server.admin.get(`/core/groups/?name=${name}`)).body.results;
    expect(stored).toMatchObject({ is_superuser: true, parent: parent.pk, attributes: { floor: 3 } });

    await press(page, page.getByRole('link', { name: 'Edit', exact: true }));
    const field = page.locator('[data-field="name"] input');
    await tabTo(page, field);
    await page.keyboard.press('Control+A');
    await page.keyboard.type(renamed);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: renamed, level: 1 }).waitFor();

    const actions = page.locator('summary', { hasText: 'Actions' });
    const remove = page.getByRole('button', { name: 'Delete…' });
    await press(page, actions);
    await press(page, remove);
    await leaveDialog(page, actions);
    await page.keyboard.press('Enter');
    await press(page, remove);
    // Members of the group are superusers.
    await tabTo(page, page.getByRole('dialog').getByLabel(`Type ${renamed} to confirm`));
    await page.keyboard.type(renamed);
    await press(page, page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }));
    await page.getByRole('heading', { name: 'Groups', level: 1 }).waitFor();
    expect((await server.admin.get(`/core/groups/${stored.pk}/`)).status).toBe(404);
    await page.waitForLoadState('networkidle');
  });

  test('makes an application, explains access, filters events and acts for a person', async () => {
    const { server } = journey();
    const group = await made(server, '/core/groups/', { name: unique('staff') });
    const dana = await server.user([], { username: unique('dana'), groups: [group.pk] });
    const page = await visitAdmin(journey(), '/applications/new/?search=grafana');
    await press(page, page.getByRole('link', { name: /^Grafana/ }));
    const name = unique('Dashboards');
    await tabTo(page, page.getByLabel('Name (required)'));
    await page.keyboard.press('Control+A');
    await page.keyboard.type(name);
    await tabTo(page, page.getByLabel('Address (required)'));
    await page.keyboard.type('https://grafana.example.org');
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByRole('radio', { name: 'Everybody who can sign in' }));
    await page.keyboard.press('ArrowDown');
    await pick(page, 'Groups', group.name);
    await press(page, page.getByRole('button', { name: 'Create' }));
    await page.getByRole('heading', { name: `${name} is created` }).waitFor();

    await moveTo(page, '/access/');
    await pick(page, 'Person', dana.username);
    await pick(page, 'Application', name);
    await page.getByText(`${name} is open by the group ${group.name}.`).waitFor();

    await moveTo(page, '/events/events/');
    await press(page, page.getByRole('link', { name: /^Object created/ }));
    await expect.poll(() => new URL(page.url()).searchParams.get('action')).toBe('model_created');
    await press(page, page.locator('summary').filter({ hasText: `created the application ${name}` }));
    const rule = page.getByRole('link', { name: 'Create a rule from this…' });
    await press(page, rule);
    await leaveDialog(page, rule);

    await moveTo(page, '/core/groups/');
    const maker = page.getByRole('link', { name: 'New group' });
    await maker.focus();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('dana');
    await page.getByRole('dialog').getByRole('option').first().waitFor();
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => isFocused(maker)).toBe(true);

    await moveTo(page, `/core/users/${dana.pk}/`);
    const actions = page.locator('summary').filter({ hasText: 'Actions' });
    await press(page, actions);
    await press(page, page.getByRole('button', { name: 'Act as…' }));
    await leaveDialog(page, actions);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Act as…' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Act as…' }).waitFor({ state: 'hidden' });
    expect(await isFocused(actions)).toBe(true);

    await moveTo(page, '/core/users/');
    const invite = page.getByRole('button', { name: 'Invite…' });
    await press(page, invite);
    await leaveDialog(page, invite);
    await page.waitForLoadState('networkidle');
  });
});
