import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium, launchChromium } from '../support/chromium.ts';
import { unique } from '../support/make-walk.ts';
import { adminToken, startServer, type TestServer } from '../support/server.ts';

const executablePath = await findChromium();

describe.skipIf(!executablePath)('the API browser', () => {
  let server: TestServer;
  let browser: Browser;

  beforeAll(async () => {
    server = await startServer('sqlite');
    browser = await launchChromium(executablePath as string);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  /** A page, and everything it complained about: errors, refused scripts and styles. */
  async function open(
    path: string,
    size = { width: 1280, height: 800 },
  ): Promise<{ page: Page; complaints: string[] }> {
    const page = await browser.newPage({ viewport: size });
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      // A request that is refused is told on the page; the console tells of it as well.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
        complaints.push(message.text());
      }
    });
    await page.goto(`${server.url}${path}`);
    await page.getByRole('status').filter({ hasText: 'operations' }).waitFor();
    return { page, complaints };
  }

  test('lists groups with a token and a filter', async () => {
    const { page, complaints } = await open('/api/v3/');
    await page.getByLabel('Token').fill(adminToken);
    await page.getByLabel('Token').press('Enter');
    await page.getByText('admin', { exact: true }).waitFor();

    await page.getByLabel('Filter operations').fill('list groups');
    await expect.poll(() => page.locator('#count').innerText()).toMatch(/^\d+ of \d+ operations$/);
    await page.getByLabel('Filter operations').press('Enter');
    await page.getByRole('heading', { name: 'List Groups' }).waitFor();
    expect(page.url()).toContain('#core_groups_list');

    await page.getByLabel(/^name/).fill('Gatehouse Admins');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.locator('[data-status="200"]').waitFor();
    const shown = JSON.parse(await page.locator('.answer pre').innerText());
    expect(shown.results).toMatchObject([{ name: 'Gatehouse Admins' }]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test('sends only what was typed: an example is shown and sent when it is taken over', async () => {
    const { page, complaints } = await open('/api/v3/#core_groups_create');
    await page.getByLabel('Token').fill(adminToken);
    await page.getByLabel('Token').press('Enter');
    const body = page.getByLabel('Body');
    expect(await body.inputValue()).toBe('');
    const sent = page.waitForRequest((request) => request.method() === 'POST');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    expect((await sent).postData()).toBe(null);
    await page.locator('[data-status="400"]').waitFor();
    await page.getByRole('button', { name: 'Use the example' }).click();
    expect(JSON.parse(await body.inputValue())).toHaveProperty('name');
    expect(complaints).toEqual([]);
    await page.close();
  });

  test('offers a body, sends it and shows the refusal', async () => {
    const { page, complaints } = await open('/api/v3/#core_groups_create');
    await page.getByLabel('Token').fill(adminToken);
    await page.getByLabel('Token').press('Enter');
    const body = page.getByLabel('Body');
    expect(JSON.parse((await body.getAttribute('placeholder')) ?? '')).toHaveProperty('name');

    await body.fill('{"name": ""}');
    await body.press('Control+Enter');
    await page.locator('[data-status="400"]').waitFor();
    await expect.poll(() => page.locator('.answer pre').innerText()).toContain('This field may not be blank.');

    await body.fill('{');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await expect.poll(() => page.getByRole('alert').innerText()).toContain('The body is not JSON');
    expect(complaints).toEqual([]);
    await page.close();
  });

  test('asks for the key of a path, and escapes text from the server', async () => {
    const name = `<img src=x onerror="document.title='broken'"> ${unique('group')}`;
    const { body: group } = await server.admin.post('/core/groups/', { name });
    const { page, complaints } = await open('/api/v3/#core_groups_retrieve');
    await page.getByLabel('Token').fill(adminToken);
    await page.getByLabel('Token').press('Enter');
    await page.getByLabel(/^group_uuid/).fill(group.pk);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.locator('[data-status="200"]').waitFor();
    await expect.poll(() => page.locator('.answer pre').innerText()).toContain('<img src=x');
    await expect.poll(() => page.title()).toBe('Read Group · Gatehouse API');
    await expect.poll(() => page.locator('.answer img').count()).toBe(0);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test('forgets the token with the tab', async () => {
    const { page } = await open('/api/v3/');
    await page.getByLabel('Token').fill(adminToken);
    await page.getByLabel('Token').press('Enter');
    await page.reload();
    await expect.poll(() => page.getByLabel('Token').inputValue()).toBe(adminToken);
    await page.close();
    const other = await open('/api/v3/');
    await expect.poll(() => other.page.getByLabel('Token').inputValue()).toBe('');
    await expect.poll(() => other.page.locator('#caller').innerText()).toBe('not signed in');
    await other.page.close();
  });

  test('fits a narrow window without scrolling sideways', async () => {
    const { page } = await open('/api/v3/', { width: 360, height: 700 });
    await page.locator('summary', { hasText: /^policies/ }).click();
    await page.getByRole('link', { name: /^GET \/policies\/all\/$/ }).click();
    await page.getByRole('heading', { name: 'List Policies' }).waitFor();
    await expect.poll(() => page.getByLabel('Filter operations').isVisible()).toBe(false);
    const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    expect(overflow).toBe(0);
    await page.getByRole('link', { name: 'All operations' }).click();
    await page.getByLabel('Filter operations').waitFor();
    await page.close();
  });

  test('works by keyboard alone', async () => {
    const { page } = await open('/api/v3/');
    await page.keyboard.press('/');
    await page.keyboard.type('events_rules_list');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'List Notification Rules' }).waitFor();
    await page.close();
  });

  test('loads nothing inline and nothing from elsewhere', async () => {
    const answer = await fetch(`${server.url}/api/v3/`);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'self'");
    const html = await answer.text();
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|\son\w+=|style=|https?:\/\//i);
  });
});
