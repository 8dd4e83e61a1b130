import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fillIn } from '../support/admin-form.ts';
import { openAdmin, visitAdmin } from '../support/admin-visit.ts';
import { describeJourney, whoIs } from '../support/journey.ts';
import { made, makeWalk, unique } from '../support/make-walk.ts';

describeJourney('values in forms and on pages', (journey) => {
  test('an expression with the line ends of Windows stays as it is until a user changes it', async () => {
    const { server } = journey();
    const expression = 'const a = 1;\r\nreturn a === 1;';
    const { pk } = await made(server, '/policies/expression/', { name: unique('policy'), expression });
    const page = await visitAdmin(journey(), `/edit/policies/expression/${pk}/`);
    await page.locator('[data-field="expression"] .cm-content').waitFor();
    await page.getByLabel('Name').fill(unique('renamed'));
    const sent = page.waitForRequest((request) => request.method() === 'PATCH');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    expect(Object.keys((await sent).postDataJSON())).toEqual(['name']);
    await page.waitForLoadState('networkidle');
    expect((await server.admin.get(`/policies/expression/${pk}/`)).body.expression).toBe(expression);
    // Whatever is typed is sent.
    await openAdmin(page, `/edit/policies/expression/${pk}/`);
    await page.locator('[data-field="expression"] .cm-content').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.insertText('// end');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect
      .poll(async () => (await server.admin.get(`/policies/expression/${pk}/`)).body.expression)
      .toBe('const a = 1;\nreturn a === 1;// end');
    await page.waitForLoadState('networkidle');
  });

  test('free data is written in YAML or JSON, without references to itself', async () => {
    const { server } = journey();
    const { pk, name } = await made(server, '/core/groups/', { name: unique('group'), attributes: { team: 'red' } });
    const page = await visitAdmin(journey(), `/edit/core/groups/${pk}/`);
    const field = page.locator('[data-field="attributes"]');
    await field.getByLabel('Write Attributes as').selectOption('YAML');
    await expect.poll(() => field.locator('.cm-content').innerText()).toMatch(/^team: red/);
    await fillIn(page, server, 'attributes', 'team: &all [*all]');
    await field.getByText('This cannot be read:').waitFor();
    await fillIn(page, server, 'attributes', '{team: blue, rooms: [1, yes, 2026-01-01]}');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText(`${name} is saved.`).waitFor();
    const { attributes } = (await server.admin.get(`/core/groups/${pk}/`)).body;
    expect(attributes).toEqual({ team: 'blue', rooms: [1, 'yes', '2026-01-01'] });
  });

  test('recovery codes can be downloaded while a flow is tried', async () => {
    const { server } = journey();
    const walk = await makeWalk(server, [['authenticator/static', { token_count: 3 }]]);
    const page = await visitAdmin(journey(), `/flows/instances/${walk.slug}/?tab=try`);
    await page.getByRole('button', { name: 'Begin', exact: true }).click();
    const download = page.waitForEvent('download');
    await page.locator('.run-screen').getByRole('link', { name: 'Download' }).click();
    expect(readFileSync(await (await download).path(), 'utf8').split('\n')).toHaveLength(3);
    expect(await page.getByText('The flow redirects to').count()).toBe(0);
    expect(await whoIs(page)).toBe('admin');
    await page.waitForLoadState('networkidle');
  });

  test('ports are shown without separators', async () => {
    const { pk } = await made(journey().server, '/stages/email/', { name: unique('mail'), port: 2525 });
    const page = await visitAdmin(journey(), `/stages/email/${pk}/`);
    await page.getByText('2525', { exact: true }).waitFor();
  });

  test('a year of five digits cannot be typed', async () => {
    const page = await visitAdmin(journey(), '/new/core/tokens/');
    const field = page.locator('[data-field="expires"] input');
    await field.fill('2030-01-02T03:04:05');
    await field.press('ArrowRight');
    await field.press('ArrowRight');
    await field.pressSequentially('20301');
    expect(await field.inputValue()).toMatch(/^\d{4}-/);
    await page.waitForLoadState('networkidle');
  });
});
