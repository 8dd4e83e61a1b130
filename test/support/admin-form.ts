import type { Locator, Page } from 'playwright-core';
import type { TestServer } from './server.ts';

/** Types into a picker, and takes what it finds first. */
export async function pick(page: Page, label: string, name: string): Promise<void> {
  await page.getByRole('combobox', { name: label, exact: true }).fill(name);
  await page.getByRole('option', { name }).first().click();
}

/** Fills in the widget of a member, by the kind of its field, as a person would. */
export async function fillIn(page: Page, server: TestServer, name: string, value: unknown): Promise<void> {
  const widget = page.locator(`[data-field="${name}"]`);
  await unfold(page, widget);
  await widget.waitFor();
  const kind = (await widget.getAttribute('data-kind')) ?? '';
  if (kind.startsWith('reference')) {
    for (const key of [value].flat()) await choose(page, server, name, key);
    return;
  }
  if ((await widget.locator('.records').count()) > 0) return fillRecords(widget, value);
  if (kind === 'duration') {
    await widget.locator('select').selectOption('custom');
    return widget.locator('input').fill(String(value ?? ''));
  }
  if (kind === 'flag') return widget.getByRole('checkbox').setChecked(value === true);
  await widget.locator('input, select, textarea, .cm-content').first().waitFor();
  // The editor is a part that is loaded later, as is the choice of its language. Fields for parts of the data come
  // before it.
  if (kind === 'json') await widget.locator('.code-editor').waitFor();
  if ((await widget.locator('.code-editor').count()) > 0) return writeCode(page, name, value);
  if ((await widget.locator('select').count()) > 0) {
    await widget.locator('select').selectOption(String(value ?? ''));
    return;
  }
  if (Array.isArray(value) && (await widget.getByRole('checkbox').count()) > 0) {
    for (const one of value) await widget.locator(`input[value=${JSON.stringify(String(one))}]`).check();
    return;
  }
  const text = kind === 'time' ? localTime(String(value)) : [value].flat().join('\n');
  await widget.locator('input, textarea').first().fill(text);
}

/** Rare fields are folded. */
async function unfold(page: Page, widget: Locator): Promise<void> {
  await widget.waitFor({ state: 'attached' });
  const folded = page.locator('details.form-advanced:not([open])', { has: widget });
  if ((await folded.count()) > 0) await folded.locator('summary').first().click();
}

async function fillRecords(widget: Locator, value: unknown): Promise<void> {
  for (const record of Array.isArray(value) ? value : []) {
    await widget.getByRole('button', { name: 'Add' }).click();
    const added = widget.locator('.record').last();
    for (const [name, text] of Object.entries(record)) {
      const input = added.locator(`[data-member="${name}"]`).locator('input, select');
      const isChoice = await input.evaluate((element) => element.matches('select'));
      await (isChoice ? input.selectOption(String(text)) : input.fill(String(text ?? '')));
    }
  }
}

const localTime = (text: string): string => {
  const moment = new Date(text);
  return new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
};

async function writeCode(page: Page, name: string, value: unknown): Promise<void> {
  await page.locator(`[data-field="${name}"] .cm-content`).click();
  await page.keyboard.press('Control+A');
  // Chromium gives text that replaces several lines an inline style, which the policy refuses.
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Finds an object by typing its name, and takes it from the list. */
async function choose(page: Page, server: TestServer, name: string, key: unknown): Promise<void> {
  const input = page.locator(`[data-field="${name}"]`).getByRole('combobox');
  const field = server.app.engine.registry.resources.flatMap(({ allFields }) => allFields[name] ?? []);
  const models = [...new Set(field.map((one) => ('model' in one ? String(one.model) : '')))].filter(Boolean);
  let found: { name: string; pk: string } | undefined;
  for (const model of models) {
    const { body } = await server.admin.get(`/admin/objects/?keys=${model}:${key}`);
    found ??= Array.isArray(body) ? body.find(({ pk }: { pk: string }) => pk === String(key)) : undefined;
  }
  if (!found) throw new Error(`nothing has the key ${key} that ${name} names`);
  await input.fill(found.name);
  const option = page.locator(`[data-field="${name}"]`).getByRole('option').filter({ hasText: found.name }).first();
  await option.click();
  // The list gives the focus back when it closes.
  await option.waitFor({ state: 'detached' });
}
