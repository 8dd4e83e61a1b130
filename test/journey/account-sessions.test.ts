import { expect, test } from 'vitest';
import { visit } from '../support/account-visit.ts';
import { describeJourney, signInOn } from '../support/journey.ts';
import { signIn } from '../support/session.ts';

const iphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';

describeJourney('the sessions page', (journey) => {
  const isAlive = async ({ browser }: Awaited<ReturnType<typeof signIn>>) =>
    (await browser.get('/core/users/me/')).status === 200;

  test('shows where one is signed in, and ends another session while this one stays', async () => {
    const { server } = journey();
    const person = await server.user();
    const phone = await signIn(server, person.pk, { userAgent: iphone, clientIp: '8.8.8.8' });
    const { page } = await visit(journey(), 'sessions', { person });
    const row = page.getByRole('listitem').filter({ hasText: 'Mobile Safari 17 on iOS' });
    await expect.poll(() => row.innerText()).toContain('United States, 8.8.8.8');
    const here = page.getByRole('listitem').filter({ has: page.getByText('This session', { exact: true }) });
    await expect.poll(() => here.getByRole('button').count()).toBe(0);

    await row.getByRole('button', { name: /^End/ }).click();
    const dialog = page.getByRole('dialog', { name: 'End this session?' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => page.locator(':focus').innerText()).toMatch(/^End/);
    await page.keyboard.press('Enter');
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await isAlive(phone)).toBe(true);
    await row.getByRole('button', { name: /^End/ }).click();
    await dialog.getByRole('button', { name: 'End session' }).click();
    await page.getByText('The session has ended.').waitFor();
    await row.waitFor({ state: 'detached' });
    await expect.poll(() => page.locator('h1:focus').innerText()).toBe('Sessions');
    expect(await isAlive(phone)).toBe(false);
    await expect.poll(() => here.count()).toBe(1);
  });

  test('shows only one’s own sessions, for administrators as well', async () => {
    const { server } = journey();
    const { pk } = await server.user();
    await signIn(server, pk, { userAgent: iphone });
    const { body } = await server.admin.get('/core/users/?username=admin');
    const { page } = await visit(journey(), 'sessions', { person: body.results[0] });
    await page.getByText('This session', { exact: true }).waitFor();
    await expect.poll(() => page.getByText('Mobile Safari').count()).toBe(0);
  });

  test('ends all other sessions at once', async () => {
    const { server } = journey();
    const person = await server.user();
    const others = [await signIn(server, person.pk), await signIn(server, person.pk)];
    const { page, session } = await visit(journey(), 'sessions', { person });
    await page.getByRole('button', { name: 'End all others' }).click();
    await page.getByRole('button', { name: 'End the others' }).click();
    await page.getByText('All other sessions have ended.').waitFor();
    for (const other of others) expect(await isAlive(other)).toBe(false);
    expect(await isAlive(session)).toBe(true);
    await expect.poll(() => page.getByRole('main').getByRole('listitem').count()).toBe(1);
    expect(await page.getByRole('button', { name: 'End all others' }).count()).toBe(0);
  });

  test('signs out everywhere and leads to the sign-in', async () => {
    const { server } = journey();
    const person = await server.user();
    const other = await signIn(server, person.pk);
    const { page, session } = await visit(journey(), 'sessions', { person });
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.waitForURL('**/if/flow/default-authentication-flow/**');
    expect(await isAlive(other)).toBe(false);
    expect(await isAlive(session)).toBe(false);
  });

  test('signs out of this session', async () => {
    const { page, session } = await visit(journey(), '');
    expect(await page.getByRole('link', { name: 'Sign out' }).count()).toBe(0);
    await page.locator('summary', { hasText: 'Account menu' }).press('Enter');
    await page.getByRole('link', { name: 'Sign out' }).press('Enter');
    await page.waitForURL('**/if/flow/default-authentication-flow/**');
    expect(await isAlive(session)).toBe(false);
  });

  test('signs out by the flow, although a request fails meanwhile because the session has ended', async () => {
    const { page } = await visit(journey(), '');
    const held = Promise.withResolvers<void>();
    await page.route('**/api/v3/core/**', async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.getByRole('link', { name: 'Sessions' }).click();
    const failed = page.waitForResponse((response) => response.status() === 403);
    // Where the flow leads, which is on its way when the request fails.
    await page.route('**/', async (route) => {
      held.resolve();
      await failed;
      await route.continue();
    });
    await page.locator('summary', { hasText: 'Account menu' }).click();
    await page.getByRole('link', { name: 'Sign out' }).click();
    // The failed request alone would lead back here from the sign-in, by `next`.
    await page.waitForURL('**/if/flow/default-authentication-flow/');
  });

  test('leads to the sign-in when the session ended elsewhere, and back afterwards', async () => {
    const { server } = journey();
    const password = 'a password for this journey';
    const { page, person, session } = await visit(journey(), 'consents', {
      prepare: ({ pk }) => server.admin.post(`/core/users/${pk}/set_password/`, { password }),
    });
    await server.admin.delete(`/core/authenticated_sessions/${session.pk}/`);
    await page.getByRole('navigation').getByRole('link', { name: 'Tokens' }).click();
    await page.waitForURL('**/if/flow/default-authentication-flow/**');
    await signInOn(page, person.username, password);
    await page.getByRole('heading', { name: 'Tokens', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/if/user/tokens/');
  });
});
