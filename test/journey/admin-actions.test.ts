import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openAdmin, visitAdmin } from '../support/admin-visit.ts';
import { lastEvents } from '../support/events.ts';
import { expectGoodLooks } from '../support/good-looks.ts';
import { grantOn } from '../support/grants.ts';
import { describeJourney } from '../support/journey.ts';
import { unique } from '../support/make-walk.ts';

const certificates = '/crypto/certificatekeypairs/';

/** What the head of a page offers by dialogs; entries of a closed menu have no text that is rendered. */
const offered = async (page: Page) =>
  (await page.locator('.page-head button').allTextContents()).filter((text) => text.endsWith('…')).sort();

describeJourney('declared actions on the pages of lists and objects', (journey) => {
  const generated = async () => {
    const { body } = await journey().server.admin.post(`${certificates}generate/`, {
      ...{ common_name: unique('pair'), validity_days: 30, alg: 'ecdsa' },
    });
    return body as { pk: string; name: string };
  };

  test('take a body, show errors at its fields, and lead to what was made', async () => {
    const { admin } = journey().server;
    const page = await visitAdmin(journey(), certificates);
    await page.getByRole('button', { name: 'Generate…' }).click();
    expect(page.url()).toContain('?dialog=run-generate');
    const dialog = page.getByRole('dialog', { name: 'Generate' });
    await dialog.getByText('Create a self-signed certificate with its key').waitFor();
    const name = unique('made');
    await dialog.getByLabel('Common name').fill(name);
    await dialog.getByLabel('Days of validity').fill('0');
    await dialog.getByLabel('Algorithm').selectOption('ecdsa');
    await dialog.getByRole('button', { name: 'Generate' }).click();
    await dialog.getByText('Ensure this value is greater than or equal to 1.').waitFor();
    await dialog.getByLabel('Days of validity').fill('30');
    await dialog.getByRole('button', { name: 'Generate' }).click();
    await page.getByText('Done: Generate.').waitFor();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    const { body } = await admin.get(`${certificates}?name=${name}`);
    expect(new URL(page.url()).pathname).toBe(`/if/admin${certificates}${body.results[0].pk}/`);
    await page.waitForLoadState('networkidle');
  });

  test('begin with what fields propose', async () => {
    const { admin } = journey().server;
    const page = await visitAdmin(journey(), '/providers/saml/?dialog=run-import_metadata');
    const dialog = page.getByRole('dialog', { name: 'Import metadata' });
    const name = unique('imported');
    await dialog.getByLabel('Name (required)').fill(name);
    const flow = dialog.getByRole('combobox', { name: 'Authorization flow (required)' });
    await expect.poll(() => flow.inputValue()).toBe('Consent, always asked');
    const metadata = `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://sp.example">
      <SPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><AssertionConsumerService index="0"
      Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="https://sp.example/acs"/></SPSSODescriptor></EntityDescriptor>`;
    const file = { name: 'sp.xml', mimeType: 'text/xml', buffer: Buffer.from(metadata) };
    await dialog.getByLabel('File (required)').setInputFiles(file);
    await dialog.getByRole('button', { name: 'Import metadata' }).click();
    await page.getByText('Done: Import metadata.').waitFor();
    const [{ authorization_flow }] = (await admin.get(`/providers/saml/?name=${name}`)).body.results;
    const { body } = await admin.get('/flows/instances/default-provider-authorization-explicit-consent/');
    expect(authorization_flow).toBe(body.pk);
  });

  test('show what they answer, and save it as a file', async () => {
    const { server } = journey();
    const { pk, name } = await generated();
    const page = await visitAdmin(journey(), `${certificates}${pk}/`);
    expect(await offered(page)).toEqual(['Delete…', 'Show the certificate…', 'Show the private key…']);
    await page.getByText('Actions', { exact: true }).click();
    await page.getByRole('button', { name: 'Show the private key…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Show the private key' });
    // Opening the dialog reveals nothing yet.
    expect(await dialog.getByText('BEGIN').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Show', exact: true }).click();
    await dialog.getByText('-----BEGIN PRIVATE KEY-----').waitFor();
    const saving = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Download' }).click();
    const file = await saving;
    expect(file.suggestedFilename()).toBe(`${name}_private_key.pem`);
    const { body } = await server.admin.get(`${certificates}${pk}/view_private_key/`);
    expect(await readFile(await file.path(), 'utf8')).toBe(body.data);
    const views = (await lastEvents(server, 10)).filter(({ action }) => action === 'secret_view');
    expect(views.length).toBeGreaterThanOrEqual(3);
    await page.waitForLoadState('networkidle');
  });

  test('run without a body once confirmed, and say why they were refused', async () => {
    const { server } = journey();
    const { admin } = server;
    const page = await visitAdmin(journey(), '/policies/all/');
    await page.getByText('Actions', { exact: true }).click();
    await page.getByRole('button', { name: 'Clear the cache…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Clear the cache' }).click();
    await page.getByText('Done: Clear the cache.').waitFor();
    const told = (await lastEvents(server, 5)).map(({ context }) => context.message);
    expect(told).toContain('The cache of policies was cleared.');
    const token = unique('token');
    await admin.post('/core/tokens/', { identifier: token });
    await openAdmin(page, `/core/tokens/${token}/?dialog=run-set_key`);
    const dialog = page.getByRole('dialog', { name: 'Set the key' });
    await dialog.getByLabel('Key').fill('short');
    await dialog.getByRole('button', { name: 'Set the key' }).click();
    await dialog.locator('.field-errors p').first().waitFor();
    const key = unique('a-key-that-is-long-enough-to-be-one-0123456789');
    await dialog.getByLabel('Key').fill(key);
    await dialog.getByRole('button', { name: 'Set the key' }).click();
    await page.getByText('Done: Set the key.').waitFor();
    expect((await admin.get(`/core/tokens/${token}/view_key/`)).body.key).toBe(key);
    await page.waitForLoadState('networkidle');
  });

  test('are offered to delegates as far as their rights go, on single objects too, and to no other user', async () => {
    const { server } = journey();
    const [one, other] = [await generated(), await generated()];
    const delegate = await server.user(['svc_crypto.view_certificatekeypair']);
    await grantOn(server, delegate.pk, 'svc_crypto.view_certificatekeypair_key', one.pk);
    const page = await visitAdmin(journey(), `${certificates}${one.pk}/`, { user: delegate.pk });
    expect(await offered(page)).toEqual(['Show the certificate…', 'Show the private key…']);
    await openAdmin(page, `${certificates}${other.pk}/?dialog=run-view_private_key`);
    expect(await offered(page)).toEqual(['Show the certificate…']);
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect((await delegate.api.get(`${certificates}${other.pk}/view_private_key/`)).status).toBe(403);
    await openAdmin(page, certificates);
    expect(await offered(page)).toEqual([]);
    await page.waitForLoadState('networkidle');
    const stranger = await server.user();
    const closed = await visitAdmin(journey(), `${certificates}${one.pk}/?dialog=run-view_certificate`, {
      user: stranger.pk,
    });
    expect(await closed.getByRole('dialog').count()).toBe(0);
    expect(await closed.getByText('BEGIN').count()).toBe(0);
    await closed.waitForLoadState('networkidle');
  });

  test('have accessible dialogs that fit narrow screens', async () => {
    const { pk } = await generated();
    const page = await visitAdmin(journey(), '/');
    const dialog = page.getByRole('dialog');
    for (const address of [
      `${certificates}?dialog=run-generate`,
      `${certificates}${pk}/?dialog=run-view_certificate`,
    ]) {
      await openAdmin(page, address);
      if (address.includes('view_')) {
        await dialog.getByRole('button', { name: 'Show', exact: true }).click();
        await dialog.getByText('BEGIN CERTIFICATE').waitFor();
      }
      await page.waitForLoadState('networkidle');
      await expectGoodLooks(page, address, dialog);
    }
    await page.waitForLoadState('networkidle');
  });
});
