import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { visit } from '../support/account-visit.ts';
import { describeJourney, type Journey } from '../support/journey.ts';
import { unique } from '../support/make-walk.ts';
import { makeApplication, makeConsent } from '../support/providers.ts';

async function notify({ server: { world } }: Journey, user: number, body: string): Promise<void> {
  await world.db.write((tx) =>
    sql`insert into notifications (pk, severity, body, created, event, "user", seen)
      values (${crypto.randomUUID()}, 'warning', ${body}, ${world.clock.now()}, null, ${user}, ${false})`.execute(tx),
  );
}

describeJourney('the account pages', (journey) => {
  test('let people set up, rename and delete a device', async () => {
    const { server } = journey();
    const { page, person } = await visit(journey(), 'devices');
    await page.getByText('You have no devices yet.').waitFor();
    await page.getByRole('link', { name: /recovery codes/i }).click();
    await page.getByRole('button', { name: 'I have saved them' }).click();
    await page.waitForURL('**/if/user/devices/');
    const row = page
      .getByRole('main')
      .getByRole('listitem')
      .filter({ hasText: 'Recovery codes' })
      .filter({ has: page.getByRole('button', { name: 'Rename' }) });
    await expect.poll(() => row.innerText()).toContain('not used yet');

    await row.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Codes in the safe');
    await page.keyboard.press('Enter');
    await row.getByRole('heading', { name: 'Codes in the safe' }).waitFor();
    const devices = async () => (await server.admin.get(`/authenticators/admin/all/?user=${person.pk}`)).body;
    expect(await devices()).toMatchObject([{ name: 'Codes in the safe', confirmed: true }]);

    await row.getByRole('button', { name: 'Delete Codes in the safe' }).click();
    await expect.poll(() => page.evaluate('document.activeElement?.textContent')).toBe('Cancel');
    await page.getByRole('button', { name: 'Delete device' }).click();
    await page.getByText('Codes in the safe is deleted.').waitFor();
    await page.getByText('You have no devices yet.').waitFor();
    expect(await devices()).toEqual([]);
  });

  test('let people revoke a consent', async () => {
    const { server } = journey();
    const application = await makeApplication(server, { name: 'Photo album' });
    const { page, person } = await visit(journey(), 'consents', {
      prepare: ({ pk }) => makeConsent(server, { user: pk, application: application.pk, scopes: ['email', 'openid'] }),
    });
    const row = page.getByRole('main').getByRole('listitem').filter({ hasText: 'Photo album' });
    await expect.poll(() => row.getByRole('list', { name: 'Permissions' }).innerText()).toMatch(/email\s+openid/);
    await row.getByRole('button', { name: 'Revoke the consent for Photo album' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('Photo album has to ask you again.').waitFor();
    expect((await server.admin.get(`/core/user_consent/?user=${person.pk}`)).body.results).toEqual([]);
  });

  test('let people create, use and delete a token', async () => {
    const { server } = journey();
    const { page, person } = await visit(journey(), 'tokens');
    const identifier = unique('script');
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByLabel('Kind').selectOption('api');
    await page.getByLabel('Identifier').fill('not a slug');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('dialog').getByText(/valid/).waitFor();
    await page.getByLabel('Identifier').fill(identifier);
    await page.getByLabel('Description').fill('For the backup');
    await page.getByRole('button', { name: 'Create' }).click();
    const key = await page.locator('.token-key').innerText();
    expect((await server.as(key).get('/core/users/me/')).body.user.pk).toBe(person.pk);
    await page.getByRole('button', { name: 'Hide the key' }).click();
    await expect.poll(() => page.getByText(key).count()).toBe(0);

    const row = page.getByRole('main').getByRole('listitem').filter({ hasText: identifier });
    await expect.poll(() => row.innerText()).toContain('For the backup');
    await row.getByRole('button', { name: `Delete ${identifier}` }).click();
    await page.getByRole('button', { name: 'Delete token', exact: true }).click();
    await row.waitFor({ state: 'detached' });
    expect((await server.as(key).get('/core/users/me/')).status).toBe(403);
  });

  test('offer to copy a key until that key has been copied', async () => {
    const { server } = journey();
    const [one, other] = [unique('one'), unique('other')];
    const { page } = await visit(journey(), 'tokens', {
      prepare: async ({ pk: user }) => {
        for (const identifier of [one, other])
          await server.admin.post('/core/tokens/', { identifier, user, intent: 'api' });
      },
    });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const show = async (name: string) => {
      await page.getByRole('button', { name: `Show key of ${name}` }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Show key' }).click();
      await page
        .locator('.token-key')
        .getByText((await server.admin.get(`/core/tokens/${name}/view_key/`)).body.key)
        .waitFor();
    };
    await show(one);
    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    await show(other);
    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await page.locator('.token-key').innerText());
  });

  test('let people create an app password with an expiry', async () => {
    const { server } = journey();
    const { page } = await visit(journey(), 'tokens');
    const identifier = unique('mail');
    const expires = new Date(Date.now() + 3_600_000);
    const local = new Date(expires.getTime() - expires.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByLabel('Identifier').fill(identifier);
    await page.getByLabel('Expires').fill(local);
    await page.getByRole('button', { name: 'Create' }).click();
    await page.locator('.token-key').waitFor();
    const { body } = await server.admin.get(`/core/tokens/${identifier}/`);
    expect(body.intent).toBe('app_password');
    expect(Math.abs(Date.parse(body.expires) - expires.getTime())).toBeLessThan(60_000);
  });

  test('count notifications, mark them as seen and delete them', async () => {
    const { server } = journey();
    const { page, person } = await visit(journey(), 'notifications', {
      prepare: async ({ pk }) => {
        for (const body of ['The first', 'The second', 'The third']) await notify(journey(), pk, body);
      },
    });
    const bell = page.getByRole('banner').getByRole('link', { name: 'Notifications' });
    const unseen = async () =>
      (await server.admin.get(`/events/notifications/?user=${person.pk}&seen=false`)).body.pagination.count;
    await expect.poll(() => bell.innerText()).toContain('3');
    const first = page.getByRole('main').getByRole('listitem').filter({ hasText: 'The first' });
    await first.getByRole('button', { name: 'Mark as seen' }).click();
    await page.getByText('The notification is marked as seen.').waitFor();
    await expect.poll(() => bell.innerText()).toContain('2');
    expect(await unseen()).toBe(2);

    await page.getByRole('button', { name: 'Mark all as seen' }).click();
    await page.getByText('All are marked as seen.').waitFor();
    await expect.poll(() => bell.innerText()).not.toMatch(/\d/);
    expect(await unseen()).toBe(0);

    await first.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await first.waitFor({ state: 'detached' });
    await expect.poll(() => page.getByRole('main').getByRole('listitem').count()).toBe(2);
  });
});
