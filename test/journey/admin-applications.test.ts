import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { bodyFor, factsOf, setupOf } from '../../web/admin/applications/template.ts';
import { templates } from '../../web/admin/applications/templates/all.ts';
import { pick } from '../support/admin-form.ts';
import { chooseAction, moveTo, openAdmin, visitAdmin } from '../support/admin-visit.ts';
import { expectGoodLooks } from '../support/good-looks.ts';
import { describeJourney } from '../support/journey.ts';
import { flowKey, unique } from '../support/make-walk.ts';
import { challenge, post, verifier } from '../support/oauth2.ts';
import { makeGrant } from '../support/providers.ts';
import { visitor } from '../support/relying-party.ts';
import type { TestServer } from '../support/server.ts';

const oauth2 = 'svc_providers_oauth2.oauth2provider';

async function makeApplication(
  { admin }: TestServer,
  name: string,
  bindings: object[] = [],
): Promise<{ pk: string; provider: number }> {
  await admin.put('/core/transactional/applications/', {
    app: { name, slug: name, meta_launch_url: 'https://app.example.com/' },
    provider_model: oauth2,
    provider: { name, redirect_uris: [{ matching_mode: 'strict', url: 'https://app.example.com/callback' }] },
    policy_bindings: bindings,
  });
  return (await admin.get(`/core/applications/${name}/`)).body;
}

const makeGroup = async ({ admin }: TestServer) => (await admin.post('/core/groups/', { name: unique('group') })).body;

const tab = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Parts of this page' }).getByRole('link', { name, exact: true });

/** The window in which a test sign-in goes on. */
async function openTest(page: Page): Promise<Page> {
  const opened = page.context().waitForEvent('page');
  await page.getByRole('link', { name: 'Test the sign-in' }).click();
  return opened;
}

const spMetadata = {
  mimeType: 'text/xml',
  buffer:
    Buffer.from(`<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://sp.example/metadata">
    <SPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><AssertionConsumerService index="0"
      Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="https://sp.example/acs"/></SPSSODescriptor>
  </EntityDescriptor>`),
};

describeJourney('the admin pages of applications', (journey) => {
  test('make an application from a template for the members of a group', async () => {
    const { server } = journey();
    const group = await makeGroup(server);
    const name = unique('Dashboards');
    const page = await visitAdmin(journey(), '/core/applications/');
    await page.getByRole('link', { name: 'New application' }).click();
    await page.getByLabel('Search applications').fill('grafana');
    await page.getByRole('link', { name: /^Grafana/ }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Enter an address that begins with').waitFor();
    await page.getByLabel('Name (required)').fill(name);
    await page.getByLabel('Address (required)').fill('https://grafana.example.org/');
    const redirects = page.getByLabel('Redirect URIs, one per line (required)');
    expect(await redirects.inputValue()).toBe('https://grafana.example.org/login/generic_oauth');
    await redirects.fill('');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Enter an address.', { exact: true }).waitFor();
    await redirects.fill('https://grafana.example.org/login/generic_oauth');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('Members of groups').check();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Choose a group.').waitFor();
    await pick(page, 'Groups', group.name);
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: `${name} is created` }).waitFor();
    const slug = name.toLowerCase();
    const application = (await server.admin.get(`/core/applications/${slug}/`)).body;
    const provider = (await server.admin.get(`/providers/oauth2/${application.provider}/`)).body;
    expect(provider.redirect_uris).toEqual([
      { matching_mode: 'strict', url: 'https://grafana.example.org/login/generic_oauth' },
    ]);
    // One's own application does not ask for consent.
    const silent = await flowKey(server, 'default-provider-authorization-implicit-consent');
    expect(provider.authorization_flow).toBe(silent);
    const registered = page.getByRole('region', { name: 'First sign-in' });
    expect(await registered.locator('code').allInnerTexts()).toEqual([
      'https://grafana.example.org/login/generic_oauth',
      'https://grafana.example.org/login',
    ]);
    const { results } = (await server.admin.get(`/policies/bindings/?target=${application.pk}`)).body;
    expect(results.map((one: { group: string }) => one.group)).toEqual([group.pk]);
    const setup = await page.locator('pre').innerText();
    expect(setup).toContain(`GF_AUTH_GENERIC_OAUTH_CLIENT_SECRET=${'•'.repeat(12)}`);
    expect(setup).not.toMatch(/\{\w+\}/);
    const { issuer } = (await server.admin.get(`/providers/oauth2/${application.provider}/setup_urls/`)).body;
    const copied = page.getByRole('region', { name: 'To copy' });
    expect(await copied.locator('code').allInnerTexts()).toEqual([issuer, provider.client_id, '•'.repeat(12)]);
    await copied.getByRole('button', { name: 'Show Client secret' }).click();
    await copied.getByText(provider.client_secret).waitFor();
    await page.getByText(`GF_AUTH_GENERIC_OAUTH_CLIENT_SECRET=${provider.client_secret}`).waitFor();
    const logo = await page.request.get(new URL(application.meta_icon, page.url()).href);
    expect([logo.headers()['content-type'], await logo.text()]).toEqual([
      'image/svg+xml',
      expect.stringMatching(/^<svg xmlns=.* fill="#f46800" d="M/),
    ]);
    const tested = await openTest(page);
    await tested.getByText('The bindings of the application deny you access.').waitFor();
    await tested.waitForLoadState('networkidle');
    await openAdmin(page, `/core/applications/?search=${name}`);
    const row = page.getByRole('row').filter({ hasText: name });
    await row.getByRole('cell', { name: group.name, exact: true }).waitFor();
    expect(await row.locator('img.mark').getAttribute('src')).toContain(application.meta_icon);
  });

  test('keep the groups of a new application when a taken slug sends people back, and begin the next one empty', async () => {
    const { server } = journey();
    const [group, taken] = [await makeGroup(server), unique('taken')];
    await makeApplication(server, taken);
    const mended = `${taken}-2`;
    const page = await visitAdmin(journey(), `/applications/new/?template=grafana&name=${mended}&slug=${taken}`);
    await page.getByLabel('Address (required)').fill('https://grafana.example.org/');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('Members of groups').check();
    await pick(page, 'Groups', group.name);
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('application with this slug already exists.').waitFor();
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByLabel('Slug (required)').fill(mended);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: `Remove ${group.name}` }).waitFor();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: `${mended} is created` }).waitFor();
    const { pk } = (await server.admin.get(`/core/applications/${mended}/`)).body;
    const { results } = (await server.admin.get(`/policies/bindings/?target=${pk}`)).body;
    expect(results.map((one: { group: string }) => one.group)).toEqual([group.pk]);
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'New application' }).click();
    await page.getByRole('link', { name: /^Grafana/ }).click();
    await page.getByRole('heading', { name: 'New application: Grafana' }).waitFor();
    expect(await page.getByLabel('Name (required)').inputValue()).toBe('Grafana');
    expect(await page.getByText('is created').count()).toBe(0);
    // The result, which had a secret, is not shown again.
    await moveTo(page, `/applications/new/?template=gitea&slug=${mended}&step=result`);
    await page.waitForURL(`**/core/applications/${mended}/?tab=sign-in`);
    await page.waitForLoadState('networkidle');
  });

  test('ask for the addresses of signing out, and check them', async () => {
    const { server } = journey();
    const name = unique('portal');
    const query = new URLSearchParams({
      template: 'openid-connect',
      name,
      slug: name,
      address: 'https://portal.example',
    });
    const page = await visitAdmin(journey(), `/applications/new/?${query}`);
    await page.getByLabel('Post-logout redirect URIs').fill('portal.example/bye');
    await page.getByLabel('Back-channel logout address').fill('portal.example/logout');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('This is not a complete address: portal.example/bye').waitFor();
    await page.getByText('This is not a complete address: portal.example/logout').waitFor();
    await page
      .getByLabel('Post-logout redirect URIs')
      .fill('https://portal.example/bye\nhttps://portal.example/de/bye');
    await page.getByLabel('Back-channel logout address').fill('https://portal.example/logout');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: `${name} is created` }).waitFor();
    const { provider } = (await server.admin.get(`/core/applications/${name}/`)).body;
    expect((await server.admin.get(`/providers/oauth2/${provider}/`)).body).toMatchObject({
      post_logout_redirect_uris: [
        { matching_mode: 'strict', url: 'https://portal.example/bye' },
        { matching_mode: 'strict', url: 'https://portal.example/de/bye' },
      ],
      backchannel_logout_uri: 'https://portal.example/logout',
    });
    await page.waitForLoadState('networkidle');
  });

  test('wait for the first sign-in, say what the application sent instead, and add it', async () => {
    const { server } = journey();
    const [name, group] = [unique('Board'), unique('Crew')];
    const slug = name.toLowerCase();
    const page = await visitAdmin(journey(), `/applications/new/?template=openid-connect&name=${name}&slug=${slug}`);
    await page.getByLabel('Address (required)').fill('https://board.example');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('Members of groups').check();
    await page.getByRole('combobox', { name: 'Groups' }).fill(group);
    await page.getByRole('option', { name: `Create group “${group}”` }).click();
    await page.getByRole('button', { name: `Remove ${group}` }).waitFor();
    await page.getByLabel('Yes, before it gets their data').check();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText(`Waiting for the first sign-in from ${name}…`).waitFor();
    const application = (await server.admin.get(`/core/applications/${slug}/`)).body;
    const path = `/providers/oauth2/${application.provider}/`;
    const provider = (await server.admin.get(path)).body;
    const asking = await flowKey(server, 'default-provider-authorization-explicit-consent');
    expect(provider.authorization_flow).toBe(asking);
    await server.admin.patch(path, {
      authorization_flow: await flowKey(server, 'default-provider-authorization-implicit-consent'),
    });
    const [crew] = (await server.admin.get(`/core/groups/?name=${group}`)).body.results;
    const user = await server.user([], { username: unique('rita') });
    await server.admin.post(`/core/groups/${crew.pk}/add_user/`, { pk: user.pk });

    const redirect_uri = 'https://board.example/oauth/callback';
    const browser = await visitor(server, user);
    const asked = { client_id: provider.client_id, response_type: 'code', scope: 'openid', redirect_uri };
    expect((await browser.visit(`/application/o/authorize/?${new URLSearchParams(asked)}`)).status).toBe(400);
    const shown = page.getByRole('region', { name: 'First sign-in' });
    await shown.getByText(`${name} sent ${redirect_uri}, which is not registered.`).waitFor();
    await expectGoodLooks(page, 'a result that waits');
    await shown.getByRole('button', { name: 'Add it' }).click();
    await shown.getByText('which is not registered').waitFor({ state: 'detached' });
    expect((await server.admin.get(path)).body.redirect_uris).toEqual([
      { matching_mode: 'strict', url: 'https://board.example/callback' },
      { matching_mode: 'strict', url: redirect_uri },
    ]);

    // The browser alone is not enough: the application has to know its secret.
    const query = new URLSearchParams({ ...asked, code_challenge: challenge, code_challenge_method: 'S256' });
    const { location } = await browser.visit(`/application/o/authorize/?${query}`);
    await shown.getByText('has not fetched tokens').waitFor();
    const { status } = await post(server, 'token', {
      ...{ grant_type: 'authorization_code', code: location?.searchParams.get('code') ?? '', redirect_uri },
      ...{ client_id: provider.client_id, client_secret: provider.client_secret, code_verifier: verifier },
    });
    expect(status).toBe(200);
    await shown.getByText(`${name} has signed a user in.`).waitFor();
    await page.waitForLoadState('networkidle');
  });

  test('change redirect addresses one by one', async () => {
    const { server } = journey();
    const { provider } = await makeApplication(server, unique('wiki'));
    const page = await visitAdmin(journey(), `/edit/providers/oauth2/${provider}/`);
    const list = page.getByRole('group', { name: 'Redirect URIs', exact: true });
    const one = (number: number) => list.getByRole('group', { name: `Redirect URIs ${number}`, exact: true });
    await list.getByRole('button', { name: 'Add' }).click();
    // What was added has the focus.
    await page.keyboard.press('Tab');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.type('javascript:alert(1)');
    await page.getByRole('button', { name: 'Save' }).click();
    await list.getByText('URLs of this scheme are not allowed').waitFor();
    await one(2).getByLabel('URL').fill('https://[a-z]+\\.example\\.com/done');
    await one(2).getByLabel('Matching mode').selectOption('Regular expression');
    await one(1).getByRole('button', { name: 'Remove' }).click();
    expect(await list.getByRole('button', { name: 'Add' }).evaluate((button) => button.matches(':focus'))).toBe(true);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL(`**/providers/oauth2/${provider}/`);
    const { redirect_uris } = (await server.admin.get(`/providers/oauth2/${provider}/`)).body;
    expect(redirect_uris).toEqual([{ matching_mode: 'regex', url: 'https://[a-z]+\\.example\\.com/done' }]);
  });

  test('refuse redirect addresses to which no user could return', async () => {
    const page = await visitAdmin(journey(), '/applications/new/?template=openid-connect');
    await page.getByLabel('Name (required)').fill('Wiki');
    await page.getByLabel('Address (required)').fill('https://wiki.example.org');
    const redirects = page.getByLabel('Redirect URIs, one per line (required)');
    await redirects.fill(
      'https://wiki.example.org/done\nwiki.example.org/done\nlocalhost:3000/done\ncom.example.wiki:/done',
    );
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('This is not a complete address: wiki.example.org/done').waitFor();
    await page.getByText('This is not a complete address: localhost:3000/done').waitFor();
    expect(await page.getByText('This is not a complete address').count()).toBe(2);
    await redirects.fill('https://wiki.example.org/done\ncom.example.wiki:/done');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('Members of groups').waitFor();
    await page.waitForLoadState('networkidle');
  });

  test('make a Wi-Fi and show what to enter at its access points', async () => {
    const { admin } = journey().server;
    const name = unique('wifi');
    const page = await visitAdmin(journey(), '/applications/new/');
    await page.getByRole('link', { name: /^Wi-Fi or VPN/ }).click();
    await page.getByLabel('Name (required)').fill(name);
    await page.getByLabel('Client networks (required)').fill('https://ap.example.org');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Enter networks such as').waitFor();
    await page.getByLabel('Client networks (required)').fill('198.51.100.0/24, 2001:db8::/64');
    await page.getByRole('button', { name: 'Continue' }).click();
    expect(await page.getByText('Should people be asked for consent?').count()).toBe(0);
    await page.getByRole('button', { name: 'Create' }).click();
    const facts = page.getByRole('region', { name: 'For the RADIUS clients' });
    const hidden = '•'.repeat(12);
    const shown = [new URL(page.url()).hostname, hidden, '198.51.100.0/24, 2001:db8::/64'];
    await facts.getByText('Wi-Fi and RadSec need a certificate').waitFor();
    expect(await facts.locator('code').allInnerTexts()).toEqual(shown);
    expect(await page.getByRole('link', { name: 'Test the sign-in' }).count()).toBe(0);
    const { provider } = (await admin.get(`/core/applications/${name}/`)).body;
    const path = `/providers/radius/${provider}/`;
    const { shared_secret } = (await admin.get(path)).body;
    await facts.getByRole('button', { name: 'Show Shared secret' }).click();
    await facts.getByText(shared_secret, { exact: true }).waitFor();
    const [own, clients] = await Promise.all(
      ['radius.example.com', 'access points'].map(async (common_name) => {
        const values = { common_name: `${common_name} ${name}`, subject_alt_name: '', validity_days: 30 };
        return (await admin.post('/crypto/certificatekeypairs/generate/', values)).body;
      }),
    );
    expect((await admin.patch(path, { certificate: own.pk, radsec_ca: clients.pk })).status).toBe(200);
    await moveTo(page, `/core/applications/${name}/?tab=sign-in`);
    await facts.getByText('GATEHOUSE_RADSEC_PORT').waitFor();
    await facts.getByRole('link', { name: own.name }).waitFor();
    expect(await facts.locator('code').allInnerTexts()).toEqual(shown);
    await expectGoodLooks(page, 'the sign-in of a RADIUS application');
  });

  test('make an application from every template', async () => {
    const { admin } = journey().server;
    expect(templates.length).toBeGreaterThanOrEqual(28);
    const page = await visitAdmin(journey(), '/applications/new/?template=grafana');
    await moveTo(page, '/applications/new/?template=zammad-saml');
    // What another template suggests is gone with it.
    expect(await page.getByLabel('Name (required)').inputValue()).toBe('Zammad (SAML)');
    await page.getByLabel('Address (required)').fill('https://help.example.org');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Zammad (SAML) is created' }).waitFor();
    const { provider } = (await admin.get('/core/applications/zammad-saml/')).body;
    expect((await admin.get(`/providers/saml/${provider}/`)).body).toMatchObject({
      acs_url: 'https://help.example.org/auth/saml/callback',
      audience: 'https://help.example.org/auth/saml/metadata',
    });

    await openAdmin(page, '/applications/new/?template=saml&name=Any&slug=any&address=https://any.example.org');
    await page.getByLabel('Entity ID of the application').fill('urn:any');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('link', { name: 'Go to the application' }).waitFor();
    const certificate = page.getByRole('region', { name: 'Metadata and certificate' });
    const files = await Promise.all([
      page.waitForEvent('download'),
      certificate.getByRole('button', { name: 'Download the certificate' }).click(),
    ]);
    expect(files[0].suggestedFilename()).toBe('any-certificate.pem');
    const pem = new X509Certificate(await readFile(await files[0].path()));
    await certificate.getByText(pem.fingerprint256, { exact: true }).waitFor();
    await certificate.getByText(pem.fingerprint, { exact: true }).waitFor();
    const [metadata] = await Promise.all([
      page.waitForEvent('download'),
      certificate.getByRole('button', { name: 'Download metadata' }).click(),
    ]);
    expect(await readFile(await metadata.path(), 'utf8')).toContain('<');
    await expectGoodLooks(page, 'the result of a SAML application');
    const { body: any } = await admin.get('/core/applications/any/');
    expect((await admin.get(`/providers/saml/${any.provider}/`)).body).toMatchObject({ audience: 'urn:any' });
    await moveTo(page, '/core/applications/any/?tab=sign-in');
    await page.getByText('Entity ID', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Download metadata' }).waitFor();
    for (const template of templates) {
      const choices = {
        name: template.name,
        slug: `t-${template.id}`,
        address: template.address,
        redirect: '',
        signedOut: '',
        backchannel: '',
        entity: '',
        groups: [],
      };
      const { status, body } = await admin.put(
        '/core/transactional/applications/?dry_run=true',
        bodyFor(template, { ...choices, name: `T ${template.name}` }),
      );
      expect([template.id, status]).toEqual([template.id, 200]);
      const text = setupOf(template, factsOf(choices.address, choices.slug, body), []);
      expect([template.id, text.match(/\{(client|issuer|metadata|sso|address|\w+_url)\w*\}/)]).toEqual([
        template.id,
        null,
      ]);
    }
  });

  test('show an application and its provider as one thing, in tabs with addresses', async () => {
    const { server } = journey();
    const [group, name] = [await makeGroup(server), unique('tool')];
    const { pk, provider } = await makeApplication(server, name);
    const dana = await server.user([], { username: unique('dana') });
    const eve = await server.user([], { username: unique('eve') });
    const other = await makeApplication(server, unique('other'));
    await makeGrant(server, 'access_tokens', { provider, user: dana.pk });
    // It has nothing left to revoke.
    await makeGrant(server, 'access_tokens', { provider, user: dana.pk, expires: '2020-01-01T00:00:00.000Z' });
    await makeGrant(server, 'access_tokens', { provider: other.provider, user: eve.pk });
    for (const [key, user] of [
      [pk, 'dana'],
      [other.pk, 'eve'],
    ] as const) {
      const authorized_application = { app: 'svc_core', model_name: 'application', pk: key.replaceAll('-', ''), name };
      const context = { authorized_application, message: user };
      await server.admin.post('/events/events/', { action: 'authorize_application', app: 'test', context });
      const refused = { application: authorized_application, result: { passing: false }, decided_by: [`not ${user}`] };
      await server.admin.post('/events/events/', { action: 'policy_execution', app: 'test', context: refused });
    }
    const page = await visitAdmin(journey(), `/core/applications/${name}/`);
    await tab(page, 'Sign-in').click();
    const { client_id, client_secret } = (await server.admin.get(`/providers/oauth2/${provider}/`)).body;
    const { issuer, provider_info } = (await server.admin.get(`/providers/oauth2/${provider}/setup_urls/`)).body;
    const shown = page.getByRole('region', { name: 'For the application' }).locator('code');
    await page.getByRole('button', { name: 'Show Client secret' }).click();
    expect((await shown.allInnerTexts()).slice(0, 4)).toEqual([issuer, client_id, client_secret, provider_info]);
    await page.getByText('https://app.example.com/callback').waitFor();
    const tested = await openTest(page);
    await tested.getByRole('button', { name: 'Continue' }).click();
    await tested.getByText('The sign-in works.').waitFor();
    const claims = await tested.getByRole('region', { name: 'ID token' }).locator('pre').innerText();
    expect(JSON.parse(claims)).toMatchObject({ aud: client_id, preferred_username: 'admin' });
    await tested.reload();
    await tested.getByText('This test was shown before').waitFor();
    await tested.waitForLoadState('networkidle');
    await tested.close();
    await tab(page, 'Claims').click();
    await pick(page, 'Person', dana.username);
    await page.getByText(`"preferred_username": "${dana.username}"`).waitFor();
    expect(new URL(page.url()).search).toBe(`?tab=claims&person=${dana.pk}`);
    await tab(page, 'Access').click();
    await page.getByText('Everybody who can sign in may use it.').waitFor();
    await pick(page, 'Group', group.name);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('list', { name: 'Bindings' }).getByRole('link', { name: group.name, exact: true }).waitFor();
    const bindings = (await server.admin.get(`/policies/bindings/?target=${pk}`)).body.results;
    expect(bindings.map((one: { group: string }) => one.group)).toEqual([group.pk]);
    await page.getByRole('button', { name: `Remove ${group.name}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('Everybody who can sign in may use it.').first().waitFor();
    await tab(page, 'Tokens').click();
    await page.getByRole('region', { name: 'Refresh tokens' }).getByText('There are none.').waitFor();
    const tokens = page.getByRole('region', { name: 'Access tokens' });
    expect(await tokens.getByRole('listitem').count()).toBe(2);
    await tokens.getByRole('button', { name: `Revoke the token of ${dana.username}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByText('The token is revoked.').waitFor();
    const left = (await server.admin.get('/oauth2/access_tokens/')).body.results;
    const users = left.map((one: { user: { pk: number } }) => one.user.pk);
    expect(users.filter((user: number) => [dana.pk, eve.pk].includes(user))).toEqual([dana.pk, eve.pk]);
    await tab(page, 'Events').click();
    const signIns = page.getByRole('region', { name: 'Sign-ins' });
    await signIns.getByText(`admin signed in to ${name}.`).waitFor();
    expect(await signIns.getByRole('listitem').count()).toBe(1);
    const refusals = page.getByRole('region', { name: 'Refusals' });
    await refusals.getByText('not dana').waitFor();
    expect(await refusals.getByRole('listitem').count()).toBe(1);
    const changes = page.getByRole('region', { name: 'Changes' });
    await changes.getByText(`admin created the application ${name}.`).waitFor();
    expect(await changes.getByRole('listitem').count()).toBe(1);
    await changes.getByText(`admin created the application ${name}.`).click();
    await changes.getByRole('link', { name: 'Create a rule from this…' }).click();
    const rule = page.getByRole('dialog', { name: 'Create a rule from this event' });
    expect(await rule.getByLabel('Name').inputValue()).toBe('Object created: Application');
    await rule.getByRole('button', { name: 'Cancel' }).click();
    await chooseAction(page, 'Duplicate…');
    const copy = unique('second');
    const slug = page.getByRole('dialog').getByLabel('Slug');
    expect(await slug.inputValue()).toMatch(/-copy$/);
    await page.getByRole('dialog').getByLabel('Name').fill('李小龍');
    await slug.fill((await server.admin.get('/core/applications/')).body.results[0].slug);
    await page.getByRole('dialog').getByRole('button', { name: 'Duplicate', exact: true }).click();
    await expect.poll(() => slug.getAttribute('aria-invalid')).toBe('true');
    await slug.fill(copy);
    expect(await page.getByRole('dialog').getByRole('button').allInnerTexts()).toEqual(['Cancel', 'Duplicate']);
    await page.getByRole('dialog').getByRole('button', { name: 'Duplicate', exact: true }).click();
    await page.getByRole('heading', { name: '李小龍', level: 1 }).waitFor();
    expect((await server.admin.get(`/core/applications/${copy}/`)).body.provider).not.toBe(provider);
    await page.waitForLoadState('networkidle');
  });

  test('keep what was typed about an application before it goes on', async () => {
    const { server } = journey();
    const name = unique('kept');
    const page = await visitAdmin(journey(), '/applications/new/?template=openid-connect');
    await page.getByLabel('Name (required)').fill(name);
    await page.getByLabel('Address (required)').fill('https://kept.example.com');
    await page.getByLabel('Redirect URIs, one per line (required)').fill('https://kept.example.com/in');
    await moveTo(page, '/core/groups/');
    await openAdmin(page, '/applications/new/?template=openid-connect');
    await page.getByText('These are your unsaved changes from before.').waitFor();
    const redirect = page.getByLabel('Redirect URIs, one per line (required)');
    expect(await page.getByLabel('Name (required)').inputValue()).toBe(name);
    expect(await page.getByLabel('Slug (required)').inputValue()).toBe(name);
    expect(await redirect.inputValue()).toBe('https://kept.example.com/in');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: `${name} is created` }).waitFor();
    expect((await server.admin.get(`/core/applications/${name}/`)).status).toBe(200);
    await openAdmin(page, '/applications/new/?template=openid-connect');
    expect(await page.getByLabel('Name (required)').inputValue()).toBe('');
    await page.getByLabel('Name (required)').fill('Other');
    await page.reload();
    await page.getByRole('button', { name: 'Discard them' }).click();
    expect(await page.getByLabel('Name (required)').inputValue()).toBe('');
    await page.waitForLoadState('networkidle');
  });

  test('make an application of a metadata file, and tell what to enter in it', async () => {
    const { server } = journey();
    const name = unique('Wiki');
    const page = await visitAdmin(journey(), '/applications/new/');
    await page.getByRole('link', { name: /^Any SAML application/ }).click();
    await page.getByRole('link', { name: 'Import it instead' }).click();
    const dialog = page.getByRole('dialog', { name: 'Import metadata' });
    await dialog.getByLabel('Name (required)').fill(name);
    await dialog.getByLabel('File (required)').setInputFiles({ ...spMetadata, name: 'sp.xml' });
    await dialog.getByRole('button', { name: 'Import metadata' }).click();
    await page.getByRole('link', { name: 'Create an application with this provider' }).click();
    await page.getByRole('button', { name: 'Create' }).click();
    await tab(page, 'Sign-in').click();
    const facts = page.getByRole('region', { name: 'For the application' });
    const { provider } = (await server.admin.get(`/core/applications/${name.toLowerCase()}/`)).body;
    const { metadata } = (await server.nobody.get(`/providers/saml/${provider}/metadata/`)).body;
    const entityId = await facts.locator('code').first().innerText();
    expect(metadata).toContain(` entityID="${entityId}"`);
    await facts.getByText('https://sp.example/acs').waitFor();
    await page.waitForLoadState('networkidle');
  });

  test('give a client a new secret, beside the one before for a day', async () => {
    const { server } = journey();
    const name = unique('vault');
    const { provider } = await makeApplication(server, name);
    const path = `/providers/oauth2/${provider}/`;
    const before = (await server.admin.get(path)).body;
    const page = await visitAdmin(journey(), `/core/applications/${name}/?tab=sign-in`);
    await page.getByRole('button', { name: 'New secret…' }).click();
    const dialog = page.getByRole('dialog', { name: 'New client secret' });
    await expectGoodLooks(page, 'the dialog for a new secret');
    await dialog.getByRole('button', { name: 'Create' }).click();
    const made = page.getByRole('dialog', { name: 'The new client secret' });
    const shown = await made.locator('code').innerText();
    const after = (await server.admin.get(path)).body;
    expect(after.client_secret).toBe(shown);
    expect(shown).not.toBe(before.client_secret);
    const hours = (Date.parse(after.previous_secret_expires) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.9);
    expect(hours).toBeLessThanOrEqual(24);
    await made.getByText(/^The previous secret expires in 2[34] hours|tomorrow/).waitFor();
    await made.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Show Client secret' }).click();
    await page.getByText(shown, { exact: true }).waitFor();
    await page.waitForLoadState('networkidle');
  });

  test('switch an application off and on again', async () => {
    const { server } = journey();
    const name = unique('pause');
    const { pk } = await makeApplication(server, name);
    const isOn = async () => (await server.admin.get(`/core/applications/${name}/`)).body.enabled;
    const page = await visitAdmin(journey(), `/core/applications/${name}/`);
    await chooseAction(page, 'Switch off…');
    await page.getByRole('dialog').getByRole('button', { name: 'Switch off', exact: true }).click();
    await page.getByText('This application is switched off').waitFor();
    expect(await isOn()).toBe(false);
    const { pk: me } = (await server.admin.get('/core/users/me/')).body.user;
    await moveTo(page, `/access/?what=application&person=${me}&target=${pk}`);
    await page.getByText(`No. ${name} is switched off.`).waitFor();
    await moveTo(page, `/core/applications/${name}/?tab=sign-in`);
    const tested = await openTest(page);
    await tested.getByText('The application is disabled.').waitFor();
    await tested.waitForLoadState('networkidle');
    await tested.close();
    await page.getByRole('button', { name: 'Switch on' }).click();
    await page.getByText('This application is switched off').waitFor({ state: 'detached' });
    expect(await isOn()).toBe(true);
    await moveTo(page, '/core/applications/no-such-application/');
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await page.waitForLoadState('networkidle');
  });

  test('offer a delegate only what they may do', async () => {
    const { server } = journey();
    const name = unique('seen');
    await makeApplication(server, name);
    const bare = (await server.admin.post('/core/applications/', { name, slug: unique('bare') })).body;
    const bound = (await server.admin.post('/core/applications/', { name, slug: unique('bound') })).body;
    const group = (await server.admin.post('/core/groups/', { name: unique('group') })).body;
    await server.admin.post('/policies/bindings/', { target: bound.pk, group: group.pk, order: 0 });
    // An application is duplicated by those who may add its provider and its bindings too.
    const { pk } = await server.user([
      ...['svc_core.view_application', 'svc_core.add_application', 'svc_providers_oauth2.view_oauth2provider'],
    ]);
    const page = await visitAdmin(journey(), `/core/applications/${name}/`, { user: pk });
    await page.locator('.facts').waitFor();
    const tabs = page.getByRole('navigation', { name: 'Parts of this page' }).getByRole('link');
    expect(await tabs.allInnerTexts()).toEqual(['Overview', 'Sign-in', 'Claims']);
    for (const action of ['Duplicate…', 'Delete…', 'Switch off…'])
      expect(await page.getByRole('button', { name: action }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Edit', exact: true }).count()).toBe(0);
    await tabs.filter({ hasText: 'Sign-in' }).click();
    await page.getByText('Client ID').waitFor();
    expect(await page.getByText('Client secret').count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Edit the sign-in' }).count()).toBe(0);
    for (const [slug, offers] of [
      [bound.slug, 0],
      [bare.slug, 1],
    ]) {
      await moveTo(page, `/core/applications/${slug}/`);
      await page.locator('.facts').getByText(slug).waitFor();
      expect(await page.getByRole('button', { name: 'Duplicate…' }).count()).toBe(offers);
    }
    await moveTo(page, '/applications/new/');
    await page.getByText('You do not have permission to create applications').waitFor();
    await page.waitForLoadState('networkidle');
  });
});
