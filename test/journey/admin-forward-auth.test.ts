import { expect, test } from 'vitest';
import { configurations } from '../../web/admin/applications/forward-auth/configurations.ts';
import { moveTo, openAdmin, visitAdmin } from '../support/admin-visit.ts';
import { describeJourney } from '../support/journey.ts';
import { protect, sendAs } from '../support/protected-host.ts';

describeJourney('administrators who protect an application without a sign-in', (journey) => {
  test('make it by the wizard, and copy the configuration of their proxy', async () => {
    const { admin } = journey().server;
    const page = await visitAdmin(journey(), '/applications/new/?search=radarr');
    await page.getByText('Forward auth', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Radarr' }).click();
    await page.getByLabel('Address (required)').fill('https://films.example.org');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Radarr is created' }).waitFor();

    const { provider } = (await admin.get('/core/applications/radarr/')).body;
    expect((await admin.get(`/providers/proxy/${provider}/`)).body).toMatchObject({
      ...{ mode: 'forward_single', external_host: 'https://films.example.org' },
    });
    const code = page.locator('pre');
    await page.getByText('X-Original-URL https://films.example.org$request_uri').first().waitFor();
    await page.getByText('<AuthenticationMethod>External</AuthenticationMethod>').waitFor();
    for (const { name } of configurations) {
      await page.getByLabel('Reverse proxy', { exact: true }).selectOption(name);
      await page.getByLabel('Gatehouse, as the proxy reaches it').fill('10.1.2.3:9000');
      await expect.poll(async () => (await code.allInnerTexts()).join('\n')).toContain('films');
      if (name !== 'Traefik (Docker)' && name !== 'Nginx Proxy Manager')
        expect((await code.allInnerTexts()).join('\n'), name).toContain('10.1.2.3');
    }
    await page.getByLabel('Gatehouse, as the proxy reaches it').fill('no host');
    await page.getByText('Enter a host and a port, such as 10.0.0.5:8080.').waitFor();

    await moveTo(page, '/core/applications/radarr/?tab=sign-in');
    await page.getByText('X-Original-URL https://films.example.org$request_uri').first().waitFor();
  });

  test('find it on the page of the provider, for a whole domain or the mode proxy', async () => {
    const { server } = journey();
    const domain = await protect(server, {
      ...{ mode: 'forward_domain', external_host: 'https://auth.example.net', cookie_domain: 'example.net' },
    });
    const proxied = await protect(server, { mode: 'proxy', internal_host: 'http://10.0.0.9:8080' });
    const page = await visitAdmin(journey(), `/providers/proxy/${domain.pk}/`);
    await page.getByLabel('Host of the application').fill('wiki.example.net');
    await page.getByText('server_name wiki.example.net;').waitFor();
    await page.getByText('server_name auth.example.net;').waitFor();
    await page.getByRole('button', { name: 'Begin the test' }).click();
    // An answer about a test before is none about this one.
    const [asked, released] = [Promise.withResolvers<string>(), Promise.withResolvers<void>()];
    await page.route(/test_proxy_result/, async (route) => {
      asked.resolve(route.request().url());
      await released.promise;
      const step = {
        step: 'start',
        proxy: 'before',
        peer: '',
        is_trusted: true,
        is_found: true,
        missing: [],
        headers: [],
      };
      if (route.request().url() === (await asked.promise)) await route.fulfill({ json: { steps: [step] } });
      else await route.fallback();
    });
    const before = await asked.promise;
    const begun = page.waitForResponse(/\/test_proxy\/$/);
    await page.getByRole('button', { name: 'Begin the test' }).click();
    await (await begun).finished();
    const late = page.waitForResponse(before);
    released.resolve();
    await (await late).finished();
    await page.waitForLoadState('networkidle');
    await page.getByText('If nothing appears here then').waitFor();
    const link = page.getByRole('link', { name: 'Open the application' });
    const address = (await link.getAttribute('href')) ?? '';
    expect(address).toMatch(/^https:\/\/wiki\.example\.net\/\?gatehouse_test=/);
    await sendAs(server, '/outpost.gatehouse/auth/nginx', { 'x-original-url': address });
    await page.getByText('Gatehouse does not trust').waitFor();
    await page.getByText('The check has arrived (nginx).').waitFor();
    await openAdmin(page, `/providers/proxy/${proxied.pk}/`);
    await page.getByText(`server_name ${proxied.host};`).waitFor();
    expect(await page.getByText('auth_request').count()).toBe(0);
  });
});
