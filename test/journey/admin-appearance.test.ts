import type { FrameLocator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openAdmin, visitAdmin } from '../support/admin-visit.ts';
import { expectGoodLooks } from '../support/good-looks.ts';
import { describeJourney } from '../support/journey.ts';
import { unique } from '../support/make-walk.ts';
import type { TestServer } from '../support/server.ts';

const frameOf = (page: Page): FrameLocator => page.frameLocator('iframe[title="Preview of sign-in"]');
const button = (page: Page) => frameOf(page).locator('button[type="submit"]');

async function pick(page: Page, field: string, name: string): Promise<void> {
  const widget = page.locator(`[data-field="${field}"]`);
  await widget.getByRole('combobox').fill(name);
  const option = widget.getByRole('option').filter({ hasText: name }).first();
  await option.click();
  await option.waitFor({ state: 'detached' });
}

async function makeBrand({ admin }: TestServer) {
  const { body } = await admin.post('/core/brands/', { domain: `${unique('shop')}.example`, branding_title: 'Shop' });
  return body;
}

describeJourney('the preview of sign-in beside a brand', (journey) => {
  test('follows unsaved changes of title, logo, icon and flows, and what is saved is what it showed', async () => {
    const { server } = journey();
    const brand = await makeBrand(server);
    const flow = (
      await server.admin.post('/flows/instances/', {
        ...{ name: unique('shop flow'), slug: unique('shop'), title: 'Come in!', designation: 'authentication' },
        layout: 'sidebar_left',
      })
    ).body;
    const picture = { url: '/static/logo.svg' };
    expect((await server.admin.post(`/flows/instances/${flow.slug}/set_background_url/`, picture)).status).toBe(200);
    const page = await visitAdmin(journey(), `/core/brands/${brand.brand_uuid}/`);
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await button(page).waitFor();
    const title = page.locator('[data-field="branding_title"] input');
    await title.fill('Corner <b>Shop</b>');
    await page.locator('[data-field="branding_logo"] input').fill('/static/none.svg');
    await frameOf(page).getByText('Corner <b>Shop</b>').waitFor();
    await page.locator('.preview-tab').getByText('Corner <b>Shop</b>').waitFor();
    await page.locator('[data-field="branding_favicon"] input').fill('/static/logo.svg');
    await page.locator('.preview-tab img[src$="/static/logo.svg"]').waitFor();
    expect(await frameOf(page).getByText('Forgot your password?').count()).toBe(0);
    for (const [field, name] of [
      ['flow_recovery', 'default-invalidation-flow'],
      ['flow_authentication', 'default-authentication-flow'],
    ]) {
      const { body } = await server.admin.get(`/flows/instances/${name}/`);
      await pick(page, String(field), body.name);
    }
    await frameOf(page).getByText('Forgot your password?').waitFor();
    await pick(page, 'flow_authentication', flow.name);
    await frameOf(page).getByText('Come in!').waitFor();
    await frameOf(page).locator('.frame[data-layout="sidebar_left"]').waitFor();
    const background = frameOf(page).locator('.frame-background[src$="/static/logo.svg"]');
    await expect.poll(() => background.evaluate((image) => image.clientWidth > 0)).toBe(true);
    expect((await server.admin.get(`/core/brands/${brand.brand_uuid}/`)).body.branding_title).toBe('Shop');
    await title.fill('Corner Shop');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL(`**/if/admin/core/brands/${brand.brand_uuid}/`);
    const { body } = await server.admin.get(`/core/brands/${brand.brand_uuid}/`);
    expect(body).toMatchObject({ branding_title: 'Corner Shop', flow_authentication: flow.pk });
    await frameOf(page).getByText('Corner Shop').waitFor();
    await page.waitForLoadState('networkidle');
  });

  test('shows an uploaded logo, beside changes that are not saved yet', async () => {
    const { server } = journey();
    const brand = await makeBrand(server);
    const page = await visitAdmin(journey(), `/edit/core/brands/${brand.brand_uuid}/`);
    await button(page).waitFor();
    await page.locator('[data-field="branding_title"] input').fill('Corner Shop');
    const picture = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>';
    const form = page.locator('.upload').filter({ hasText: 'Upload the logo' });
    await form.locator('input[type="file"]').setInputFiles({
      ...{ name: 'logo.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(picture) },
    });
    await form.getByRole('button', { name: 'Upload', exact: true }).click();
    await page.getByText('The file is stored.').waitFor();
    await frameOf(page).locator('img[src*="/media/"]').waitFor();
    expect(await page.locator('.announcement').innerText()).toBe('The file is stored.');
    await page.locator('.preview-tab').getByText('Corner Shop').waitFor();
    const { body } = await server.admin.get(`/core/brands/${brand.brand_uuid}/`);
    expect(body).toMatchObject({ branding_title: 'Shop', branding_logo: expect.stringMatching(/^\/media\//) });
    await page.waitForLoadState('networkidle');
  });

  test('shows light, dark, a phone and other languages, by its address', async () => {
    const brand = await makeBrand(journey().server);
    const page = await visitAdmin(journey(), `/core/brands/${brand.brand_uuid}/`);
    await button(page).waitFor();
    const theme = () => frameOf(page).locator('html').getAttribute('data-theme');
    expect(await theme()).toBe('automatic');
    // With the keyboard alone: one choice is one stop, the arrows move within it.
    await page.getByRole('radio', { name: 'Automatic' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await expect.poll(theme).toBe('dark');
    const width = () =>
      frameOf(page)
        .locator('html')
        .evaluate(({ clientWidth }) => clientWidth);
    expect(await width()).toBe(1024);
    await page.getByRole('radio', { name: 'Phone' }).check();
    await expect.poll(width).toBe(375);
    await page.getByLabel('Language of the preview').selectOption('ar');
    await frameOf(page).getByText('متابعة').waitFor();
    expect(await frameOf(page).locator('html').getAttribute('dir')).toBe('rtl');
    expect(new URL(page.url()).search).toBe('?theme=dark&width=phone&language=ar');
    await page.reload();
    await frameOf(page).getByText('متابعة').waitFor();
    expect([await theme(), await width()]).toEqual(['dark', 375]);
    expect(await page.locator('html').getAttribute('data-theme')).toBe('automatic');
    await page.waitForLoadState('networkidle');
  });

  test('follows the colours and the language that are chosen for a brand', async () => {
    const { server } = journey();
    const brand = await makeBrand(server);
    const path = `/core/brands/${brand.brand_uuid}/`;
    await server.admin.patch(path, { attributes: { shop: 5 } });
    const page = await visitAdmin(journey(), `/edit${path}`);
    const attributes = page.locator('[data-field="attributes"]');
    await attributes.getByLabel('Colours').selectOption('dark');
    await attributes.getByLabel('Language', { exact: true }).selectOption('de');
    await frameOf(page).getByText('Weiter').waitFor();
    expect(await frameOf(page).locator('html').getAttribute('data-theme')).toBe('dark');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL(`**/if/admin${path}`);
    expect((await server.admin.get(path)).body.attributes).toEqual({
      shop: 5,
      settings: { theme: { base: 'dark' }, locale: 'de' },
    });
    await frameOf(page).getByText('Weiter').waitFor();
    await page.goto(`/if/admin/edit${path}`);
    await attributes.getByLabel('Colours').selectOption('');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL(`**/if/admin${path}`);
    expect((await server.admin.get(path)).body.attributes).toEqual({ shop: 5, settings: { locale: 'de' } });
    await page.waitForLoadState('networkidle');
  });

  test('is a document that only our own pages frame, and that neither sends nor holds anything', async () => {
    const { server } = journey();
    const headersOf = async (path: string) => (await fetch(`${server.url}${path}`, { redirect: 'manual' })).headers;
    const framed = await headersOf('/if/preview/');
    expect(framed.get('x-frame-options')).toBe('SAMEORIGIN');
    const policy = framed.get('content-security-policy');
    for (const part of ["frame-ancestors 'self'", "connect-src 'none'", "form-action 'none'", "script-src 'self';"])
      expect(policy).toContain(part);
    const signIn = await headersOf('/if/flow/default-authentication-flow/');
    expect(signIn.get('x-frame-options')).toBe('DENY');
    expect(signIn.get('content-security-policy')).toContain("frame-ancestors 'none'");
    const brand = await makeBrand(server);
    const page = await visitAdmin(journey(), `/core/brands/${brand.brand_uuid}/`);
    await button(page).waitFor();
    await button(page).evaluate((inside) => inside.focus());
    expect(await frameOf(page).locator(':focus').count()).toBe(0);
    expect(await page.locator('iframe').getAttribute('sandbox')).toBe('allow-scripts allow-same-origin');
    await page.waitForLoadState('networkidle');
  });

  test('shows a delegate an example where they may not see flows, and others nothing', async () => {
    const { server } = journey();
    const brand = await makeBrand(server);
    const path = `/core/brands/${brand.brand_uuid}/`;
    const delegate = await server.user(['svc_brands.view_brand', 'svc_brands.change_brand']);
    const page = await visitAdmin(journey(), path, { user: delegate.pk });
    await frameOf(page).getByText('Email address or username').waitFor();
    expect(await page.getByRole('link', { name: 'Edit', exact: true }).count()).toBe(0);
    await page.waitForLoadState('networkidle');
    const other = await server.user(['svc_core.view_group']);
    const second = await visitAdmin(journey(), path, { user: other.pk });
    await second.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
    expect((await server.as(other.token).get('/stages/identification/preview/')).status).toBe(403);
    await second.waitForLoadState('networkidle');
  });

  test('is accessible, fits narrow screens and asks at most three times', async () => {
    const brand = await makeBrand(journey().server);
    const page = await visitAdmin(journey(), '/core/brands/');
    let asked = 0;
    page.on('request', (request) => {
      if (request.url().includes('/api/v3/')) asked += 1;
    });
    for (const address of [`/core/brands/${brand.brand_uuid}/`, `/edit/core/brands/${brand.brand_uuid}/`]) {
      asked = 0;
      await openAdmin(page, address);
      await button(page).waitFor();
      await page.waitForLoadState('networkidle');
      // With what the pages ask once, when they are opened.
      expect([address, asked]).toEqual([address, expect.toSatisfy((count) => count <= 3)]);
      await expectGoodLooks(page, address);
    }
  });
});
