import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { visit } from '../support/account-visit.ts';
import { describeJourney, signInOn, whoIs } from '../support/journey.ts';
import { unique } from '../support/make-walk.ts';
import { password, personWithPassword } from '../support/second-factor.ts';

describeJourney('signing in again', (journey) => {
  /** A user whose sign-in was long ago, at a section of their account. */
  async function oldVisit(section: string) {
    const { server } = journey();
    const person = await personWithPassword(server);
    const { page } = await visit(journey(), section, { person });
    await server.world.db.write((tx) =>
      sql`update authenticated_sessions set proven_at = null where "user" = ${person.pk}`.execute(tx),
    );
    return { page, person };
  }

  test('happens in another window, and the page goes on with what was typed', async () => {
    const { server } = journey();
    const { page, person } = await oldVisit('tokens');
    const identifier = unique('token');
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByLabel('Identifier').fill(identifier);
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    const asked = page.getByRole('dialog', { name: 'Sign in again' });
    await asked.waitFor();
    const [popup] = await Promise.all([
      page.waitForEvent('popup'),
      asked.getByRole('link', { name: 'Sign in again' }).click(),
    ]);
    await signInOn(popup, person.username, password);
    await asked.waitFor({ state: 'detached' });
    await expect
      .poll(async () => (await server.admin.get(`/core/tokens/?user__username=${person.username}`)).body.results)
      .toEqual(expect.arrayContaining([expect.objectContaining({ identifier })]));
    await expect.poll(() => popup.isClosed()).toBe(true);
  });

  test('can be cancelled, and the page says what is missing', async () => {
    const { page, person } = await oldVisit('tokens');
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByLabel('Identifier').fill(unique('token'));
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.getByRole('dialog', { name: 'Sign in again' }).getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Sign in again to do this').waitFor();
    expect(await whoIs(page)).toBe(person.username);
  });

  test('comes before a device is set up, and leads to it', async () => {
    const { page, person } = await oldVisit('devices');
    await page.getByRole('link', { name: /recovery codes/i }).click();
    await page.waitForURL('**/if/flow/default-authentication-flow/**');
    await signInOn(page, person.username, password);
    await page.getByRole('button', { name: 'I have saved them' }).click();
    await page.waitForURL('**/if/user/devices/');
  });
});
