import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { visitAdmin } from '../support/admin-visit.ts';
import { describeJourney } from '../support/journey.ts';
import { unique } from '../support/make-walk.ts';

/** Holds back the answers to requests with this text in their address until they are released. */
async function holdBack(page: Page, text: string) {
  const release = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  await page.route(
    (url) => decodeURIComponent(url.href).includes(text),
    async (route) => {
      arrived.resolve();
      await release.promise;
      await route.fallback();
    },
  );
  return { arrived: arrived.promise, release: release.resolve };
}

describeJourney('lists of the admin pages', (journey) => {
  const makeGroup = async (name: string) =>
    (await journey().server.admin.post('/core/groups/', { name })).body as { pk: string; name: string };

  test('show what the address asks for, also when an earlier answer arrives late', async () => {
    const [first, second] = [unique('early'), unique('late')];
    await makeGroup(`${first} one`);
    await makeGroup(`${first} two`);
    await makeGroup(second);
    const page = await visitAdmin(journey(), `/core/groups/?search=${first}`);
    await page.getByRole('checkbox', { name: `Choose ${first} one` }).check();
    await page.getByRole('button', { name: 'Delete…' }).click();
    const slow = await holdBack(page, `search=${first}`);
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await slow.arrived;
    await page.getByLabel('Search', { exact: true }).fill(second);
    await page.getByRole('link', { name: second }).waitFor();
    const answered = page.waitForResponse((response) => decodeURIComponent(response.url()).includes(`search=${first}`));
    slow.release();
    await (await answered).finished();
    await page.waitForLoadState('networkidle');
    expect(await page.getByRole('rowheader').allInnerTexts()).toEqual([second]);
  });
});
