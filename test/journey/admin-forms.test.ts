import { expect, test } from 'vitest';
import { visitAdmin } from '../support/admin-visit.ts';
import { describeJourney } from '../support/journey.ts';
import { unique } from '../support/make-walk.ts';

describeJourney('forms of the admin pages', (journey) => {
  test('take lists of lines as they are typed, in the middle too', async () => {
    const { admin } = journey().server;
    const policy = { name: unique('networks'), asns: [64501, 64502], countries: ['CH'] };
    const { pk } = (await admin.post('/policies/geoip/', policy)).body;
    const page = await visitAdmin(journey(), `/edit/policies/geoip/${pk}/`);
    const lines = page.locator('[data-field="asns"] textarea');
    await lines.focus();
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.keyboard.type('649');
    expect(await lines.inputValue()).toBe('64501\n649\n64502');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL(`**/policies/geoip/${pk}/`);
    expect((await admin.get(`/policies/geoip/${pk}/`)).body.asns).toEqual([64501, 649, 64502]);
    await page.waitForLoadState('networkidle');
  });
});
