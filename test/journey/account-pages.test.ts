import { expect, test } from 'vitest';
import { visit } from '../support/account-visit.ts';
import { visitAdmin } from '../support/admin-visit.ts';
import { describeJourney, signInOn } from '../support/journey.ts';
import { unique } from '../support/make-walk.ts';
import { makeApplication } from '../support/providers.ts';

const sections = [
  ['', 'Applications'],
  ['profile', 'Profile'],
  ['password', 'Password'],
  ['devices', 'Devices'],
  ['sessions', 'Sessions'],
  ['consents', 'Consents'],
  ['tokens', 'Tokens'],
  ['connections', 'Connected accounts'],
  ['notifications', 'Notifications'],
] as const;

describeJourney('the account pages', (journey) => {
  test('open every section from the menu, each with its heading and address', async () => {
    const { page } = await visit(journey(), '');
    for (const [slug, title] of sections) {
      await page.getByRole('navigation').getByRole('link', { name: title }).click();
      await page.getByRole('heading', { name: title, level: 1 }).waitFor();
      expect(new URL(page.url()).pathname).toBe(`/if/user/${slug && `${slug}/`}`);
      await expect.poll(() => page.title()).toBe(`${title} · Gatehouse`);
      await expect.poll(() => page.locator('[aria-current=page]').innerText()).toBe(title);
      await page.locator('.waiting').first().waitFor({ state: 'detached' });
      await expect.poll(() => page.getByRole('alert').count()).toBe(0);
    }
    await page.goBack();
    await page.getByRole('heading', { name: 'Connected accounts', level: 1 }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Connected accounts', level: 1 }).waitFor();
  });

  test('have their colours chosen as the administration has', async () => {
    const { page } = await visit(journey(), '');
    const theme = () => page.locator('html').getAttribute('data-theme');
    await page.locator('summary', { hasText: 'Appearance' }).click();
    await page.getByRole('radio', { name: 'Dark' }).check();
    expect(await theme()).toBe('dark');
    await page.reload();
    await page.locator('summary', { hasText: 'Account menu' }).waitFor();
    expect(await theme()).toBe('dark');
  });

  test('fit on a narrow screen, where the menu unfolds', async () => {
    const { page } = await visit(journey(), '', { viewport: { width: 320, height: 640 } });
    const links = page.getByRole('navigation').getByRole('link');
    let at: string = sections[0][1];
    for (const [, title] of sections) {
      await expect.poll(() => links.count()).toBe(0);
      await page.getByRole('button', { name: `Menu, now at ${at}` }).press('Enter');
      await expect.poll(() => links.count()).toBe(sections.length);
      await links.filter({ hasText: title }).press('Enter');
      await page.getByRole('heading', { name: title, level: 1 }).waitFor();
      await page.locator('.waiting').first().waitFor({ state: 'detached' });
      expect(await page.locator('html').evaluate(({ scrollWidth }) => scrollWidth)).toBe(320);
      at = title;
    }
  });

  test('lead administrators of a server without applications to the admin pages, and nobody else', async () => {
    const { page } = await visit(journey(), '');
    await page.getByText('There are no applications for you yet.').waitFor();
    expect(await page.getByRole('link', { name: 'Set up this server' }).count()).toBe(0);
    const admin = await visitAdmin(journey(), '/');
    await admin.goto('/if/user/');
    await admin.getByRole('link', { name: 'Set up this server' }).click();
    await admin.waitForURL('**/if/admin/');
    await admin.waitForLoadState('networkidle');
  });

  test('list applications in groups, with search and links', async () => {
    const { server } = journey();
    const mark = unique('app');
    for (const number of [1, 2, 3, 4, 5, 6, 7, 8]) {
      await makeApplication(server, {
        name: `${mark} number-${number}`,
        group: number < 3 ? `${mark} group` : '',
        meta_launch_url: `https://app${number}.example/%(username)s`,
        open_in_new_tab: number === 2,
      });
    }
    const { page, person } = await visit(journey(), '');
    const group = page.getByRole('region', { name: `${mark} group` });
    const first = group.getByRole('link', { name: `${mark} number-1` });
    await first.waitFor();
    await expect.poll(() => group.getByRole('link').count()).toBe(2);
    expect(await first.getAttribute('href')).toBe(`https://app1.example/${person.username}`);
    expect(await first.getAttribute('target')).toBeNull();
    const second = page.getByRole('link', { name: `${mark} number-2` });
    expect(await second.getAttribute('target')).toBe('_blank');
    expect(await second.getAttribute('rel')).toContain('noopener');

    await page.getByLabel('Search applications').fill(`${mark} number-7`);
    await group.waitFor({ state: 'detached' });
    await expect.poll(() => page.getByRole('main').getByRole('link').count()).toBe(1);
    await page.getByLabel('Search applications').fill('nothing like it');
    await page.getByText('No application matches “nothing like it”.').waitFor();
  });

  test('let people change their profile, and say what may not be changed', async () => {
    const { server } = journey();
    const person = await server.user([], { name: 'Before', email: 'before@example.com' });
    const { page } = await visit(journey(), 'profile', { person });
    await page.getByLabel('Email').fill('after@example.com');
    await page.getByLabel('Name', { exact: true }).fill('After');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Not allowed to change email address.').waitFor();
    await page.getByLabel('Email').fill('before@example.com');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Your profile is saved.').waitFor();
    await page.getByRole('banner').getByText('After').waitFor();
    expect((await server.admin.get(`/core/users/${person.pk}/`)).body).toMatchObject({
      name: 'After',
      email: 'before@example.com',
    });
  });

  test('let people change their password without leaving', async () => {
    const { server, window } = journey();
    const password = 'a new password for the journey';
    const { page, person, session } = await visit(journey(), 'password', {
      prepare: ({ pk }) => server.admin.post(`/core/users/${pk}/set_password/`, { password: 'the one before it' }),
    });
    await page.getByLabel('Current password', { exact: true }).fill('the one before it');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('New password', { exact: true }).fill('password1234');
    await page.getByText(/Password strength: .*easy to guess/i).waitFor();
    await page.getByLabel('New password', { exact: true }).fill(password);
    await page.getByText(/Password strength: (Good|Strong)/).waitFor();
    await page.getByLabel('New password (repeat)', { exact: true }).fill('something else');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText("Passwords don't match.").waitFor();
    await page.getByLabel('New password (repeat)', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Your password is changed.').waitFor();
    await expect.poll(() => page.getByLabel('Current password', { exact: true }).inputValue()).toBe('');
    expect((await session.browser.get('/core/users/me/')).status).toBe(200);

    const other = await window();
    await other.goto('/if/user/profile/');
    await signInOn(other, person.username, password);
    await other.getByRole('heading', { name: 'Profile', level: 1 }).waitFor();
  });

  test('say what cannot be loaded, and let people try again', async () => {
    const { page } = await visit(journey(), '', { tolerates: /net::ERR_FAILED|status of 500/ });
    const answers = [
      {
        status: 500,
        contentType: 'application/json',
        body: '{"detail": "Something broke.", "code": "internal_error"}',
      },
      null,
    ];
    await page.route('**/api/v3/core/tokens/**', (route) => {
      const answer = answers.shift();
      if (answer) return route.fulfill(answer);
      return answer === null ? route.abort() : route.continue();
    });
    await page.getByRole('navigation').getByRole('link', { name: 'Tokens' }).click();
    const alert = page.getByRole('alert');
    await alert.filter({ hasText: 'Something broke.' }).waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await alert.filter({ hasText: 'The server cannot be reached.' }).waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await alert.waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: /^token-/ }).waitFor();
  });

  test('say so when an address names no section, and link to the applications', async () => {
    const { page } = await visit(journey(), 'no-such-section');
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'your applications' }).click();
    await page.getByRole('heading', { name: 'Applications', level: 1 }).waitFor();
  });

  test('tell impersonators so, and let them end it', async () => {
    const { server } = journey();
    const { body } = await server.admin.get('/core/users/?username=admin');
    const person = await server.user();
    const { page, session } = await visit(journey(), '', { person: body.results[0] });
    await expect.poll(() => page.getByRole('complementary', { name: 'Impersonation' }).count()).toBe(0);
    expect((await session.browser.post(`/core/users/${person.pk}/impersonate/`, {})).status).toBe(204);
    await page.reload();
    const banner = page.getByRole('complementary', { name: 'Impersonation' });
    await expect.poll(() => banner.innerText()).toContain(`act as ${person.username}`);
    await page.getByRole('banner').getByText(person.username).waitFor();
    await banner.getByRole('button', { name: 'End impersonation' }).click();
    await banner.waitFor({ state: 'detached' });
    expect((await session.browser.get('/core/users/me/')).body.user.username).toBe('admin');
  });
});
