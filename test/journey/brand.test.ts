import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { contrast } from '../../src/lib/brand-colours.ts';
import { visitAdmin } from '../support/admin-visit.ts';
import { signInFlow } from '../support/flow-client.ts';
import { expectGoodLooks } from '../support/good-looks.ts';
import { describeJourney, signInOn, signOutOn, whoIs } from '../support/journey.ts';
import { unique } from '../support/make-walk.ts';
import { password, personWithPassword } from '../support/second-factor.ts';
import type { TestServer } from '../support/server.ts';

const brandPath = async ({ admin }: TestServer): Promise<string> =>
  `/core/brands/${(await admin.get('/core/brands/?default=true')).body.results[0].brand_uuid}/`;

async function withTheme(server: TestServer, theme: object, work: () => Promise<void>): Promise<void> {
  const path = await brandPath(server);
  expect((await server.admin.patch(path, { attributes: { settings: { theme } } })).status).toBe(200);
  try {
    await work();
  } finally {
    await server.admin.patch(path, { attributes: {} });
  }
}

const styleOf = (page: Page, selector: string, name: string): Promise<string> =>
  page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).getPropertyValue('${name}')`);

const hex = (rgb: string): string =>
  `#${(rgb.match(/\d+/g) ?? [])
    .slice(0, 3)
    .map((part) => Number(part).toString(16).padStart(2, '0'))
    .join('')}`;

async function application({ admin }: TestServer): Promise<{ slug: string; name: string }> {
  const slug = unique('grafana');
  const { status } = await admin.put('/core/transactional/applications/', {
    app: { name: 'Grafana', slug, meta_launch_url: 'https://app.example.com/' },
    provider_model: 'svc_providers_oauth2.oauth2provider',
    provider: {
      name: slug,
      client_id: slug,
      redirect_uris: [{ matching_mode: 'strict', url: 'https://app.example.com/cb' }],
    },
  });
  expect(status).toBe(200);
  await admin.post(`/core/applications/${slug}/set_icon_url/`, { url: '/static/favicon.svg' });
  return { slug, name: 'Grafana' };
}

describeJourney('the sign-in page', (journey) => {
  test('has the step as its heading, with the icon of the application', async () => {
    const { slug } = await application(journey().server);
    const page = await journey().window();
    const query = new URLSearchParams({
      ...{ client_id: slug, response_type: 'code', scope: 'openid', redirect_uri: 'https://app.example.com/cb' },
    });
    await page.goto(`/application/o/authorize/?${query}`);
    await page.getByRole('heading', { name: 'Sign in to Grafana', level: 1 }).waitFor();
    await page.locator('.step-icon[src$="/static/favicon.svg"]').waitFor();
    expect(await page.getByText('Welcome to Gatehouse!').count()).toBe(0);
    await page.getByLabel('Email address or username').fill('admin');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Enter your password', level: 1 }).waitFor();
    expect(await page.getByText('Welcome to Gatehouse!').count()).toBe(0);
    await page.getByRole('link', { name: 'Sign in another way' }).click();
    await page.getByRole('heading', { name: 'Sign in to Grafana' }).waitFor();
  });

  test('offers to continue as the last user of this device, until forgotten', async () => {
    const { username } = await personWithPassword(journey().server);
    const page = await journey().window();
    await page.goto('/');
    expect(await page.getByRole('button', { name: /^Continue as/ }).count()).toBe(0);
    await signInOn(page, username, 'wrong');
    await page.locator('[aria-invalid=true]').waitFor();
    await page.getByRole('link', { name: 'Sign in another way' }).click();
    // A name is remembered only once it has signed in.
    await page.getByLabel('Email address or username').waitFor();
    expect(await page.getByRole('button', { name: /^Continue as/ }).count()).toBe(0);
    await signInOn(page, username, password);
    await page.waitForURL('**/if/user/');
    await page.waitForLoadState('networkidle');
    await signOutOn(page);
    await page.waitForURL(`**/if/flow/${signInFlow}/`);
    const offer = page.getByRole('button', { name: /^Continue as/ });
    await offer.waitFor();
    expect(await page.evaluate<string>('document.activeElement.textContent')).toContain('Continue as');
    await expectGoodLooks(page, 'a known device');
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await page.locator('html').evaluate(({ scrollWidth }) => scrollWidth)).toBe(320);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Show Password' }).waitFor();
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/if/user/');
    expect(await whoIs(page)).toBe(username);
    await page.waitForLoadState('networkidle');
    await signOutOn(page);
    await page.getByRole('button', { name: 'Forget this account on this device' }).click();
    await page.reload();
    await page.getByLabel('Email address or username').waitFor();
    expect(await offer.count()).toBe(0);
  });

  test('has its language and its colours in the foot, for this browser', async () => {
    const page = await journey().window({ locale: 'en-GB', colorScheme: 'light' });
    await page.goto('/');
    await page.getByRole('button', { name: 'Use dark colours' }).click();
    await expect.poll(() => styleOf(page, '.frame-card', 'background-color')).toBe('rgb(27, 31, 41)');
    await page.getByLabel('Language').selectOption('de');
    await page.getByRole('heading', { name: 'Anmelden' }).waitFor();
    await expect.poll(() => styleOf(page, '.frame-card', 'background-color')).toBe('rgb(27, 31, 41)');
    await page.getByLabel('Sprache').selectOption('ar');
    await page.getByRole('heading', { name: 'تسجيل الدخول' }).waitFor();
    expect(await page.locator('html').getAttribute('dir')).toBe('rtl');
    await page.context().addCookies([{ name: 'gatehouse_language', value: '"><b>', url: page.url() }]);
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });
});

describeJourney('the look of a brand', (journey) => {
  const theme = { accent: '#ffd400', background: '#102030', background_end: '#405060', layout: 'left' };

  test('is that of sign-in, error and sign-out pages and of the account, with readable colours', async () => {
    const { server } = journey();
    await withTheme(server, theme, async () => {
      const page = await journey().window({ tolerates: /status of 404/ });
      await page.goto('/');
      const button = '.button-primary';
      await page.locator(button).waitFor();
      expect(hex(await styleOf(page, button, 'background-color'))).toBe('#ffd400');
      const ink = hex(await styleOf(page, button, 'color'));
      expect(contrast(ink, '#ffd400')).toBeGreaterThan(4.5);
      expect(await styleOf(page, '.frame', 'background-image')).toContain('linear-gradient');
      await page.locator('.frame[data-layout="sidebar_left"]').waitFor();
      await expectGoodLooks(page, 'sign-in of a brand');
      await page.goto('/no/such/page');
      await page.getByRole('heading', { name: 'Page not found' }).waitFor();
      expect(hex(await styleOf(page, '.way', 'background-color'))).toBe('#ffd400');
      expect(await styleOf(page, 'body', 'background-image')).toContain('linear-gradient');
      expect((await page.locator('main').boundingBox())?.x).toBe(0);
      await page.getByRole('img', { name: 'Gatehouse' }).waitFor();
      await expectGoodLooks(page, 'an error page of a brand');
      const { username } = await personWithPassword(server);
      await page.goto('/');
      await signInOn(page, username, password);
      await page.waitForURL('**/if/user/');
      await page.waitForLoadState('networkidle');
      const accent = await styleOf(page, 'html', '--accent-ground');
      expect(accent).toContain('#ffd400');
    });
  });

  test('takes colours in one form alone', async () => {
    const { server } = journey();
    const path = await brandPath(server);
    const { status, body } = await server.admin.patch(path, {
      attributes: { settings: { theme: { accent: 'red;}body{display:none' } } },
    });
    expect([status, body]).toEqual([400, { attributes: ['settings.theme.accent must be a colour such as #3b57d6.'] }]);
    for (const address of ['red-0-0', '3b57d6', '3b57d6-0-0}'])
      expect((await fetch(`${server.url}/static/brand/${address}.css`)).status).toBe(404);
    const style = await fetch(`${server.url}/static/brand/3b57d6-0-0.css`);
    expect(style.headers.get('content-type')).toBe('text/css; charset=utf-8');
    expect(style.headers.get('cache-control')).toContain('immutable');
  });

  test('is chosen with a live preview that shows the contrast', async () => {
    const { server } = journey();
    const path = await brandPath(server);
    const page = await visitAdmin(journey(), `/edit${path}`);
    const frame = page.frameLocator('iframe[title="Preview of sign-in"]');
    await frame.locator('button[type="submit"]').waitFor();
    await page.getByLabel('Accent colour', { exact: true }).fill('#ffd400');
    const shown = () =>
      frame
        .locator('button[type="submit"]')
        .evaluate((element) => element.ownerDocument.defaultView.getComputedStyle(element).backgroundColor);
    await expect.poll(shown).toBe('rgb(255, 212, 0)');
    await page.getByText('corrected for contrast').first().waitFor();
    await page.locator('[data-field="attributes"]').getByLabel('Layout').selectOption('right');
    await frame.locator('.frame[data-layout="sidebar_right"]').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL(`**/if/admin${path}`);
    const { attributes } = (await server.admin.get(path)).body;
    expect(attributes).toEqual({ settings: { theme: { accent: '#ffd400', layout: 'right' } } });
    await page.waitForLoadState('networkidle');
    await server.admin.patch(path, { attributes: {} });
  });
});
