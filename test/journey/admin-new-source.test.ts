import type { Page } from 'playwright-core';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { clientId, clientSecret, startOpenId } from '../protocol/oauth-source/openid-service.ts';
import { visitAdmin } from '../support/admin-visit.ts';
import { expectGoodLooks } from '../support/good-looks.ts';
import { describeJourney, type Journey, whoIs } from '../support/journey.ts';
import { unique } from '../support/make-walk.ts';
import { openPublicPort } from '../support/public-port.ts';
import { loopbackAllowed } from '../support/service.ts';

const peer = await startOpenId();
const port = await openPublicPort();
beforeEach(() => peer.reset());
afterAll(() => Promise.all([peer.close(), port.close()]));

/** Signs in at the provider as this person, by the button of the sign-in page. */
async function comeIn({ window }: Journey, button: string, person: Record<string, unknown>): Promise<Page> {
  peer.person = person;
  peer.override['/favicon.ico'] = () => ({ status: 204, body: '' });
  peer.override['/authorize'] = ({ path }) => {
    const asked = new URL(path, peer.url).searchParams;
    void peer.prepare(asked.get('nonce') ?? '');
    const to = `${asked.get('redirect_uri')}?${new URLSearchParams({ code: 'c', state: asked.get('state') ?? '' })}`;
    const body = `<a href="${to.replaceAll('&', '&amp;')}">Allow</a>`;
    return { body, headers: { 'content-type': 'text/html' } };
  };
  const page = await window({ tolerates: /status of 40[03]/ });
  await page.goto(`${port.url}/`);
  await page.getByRole('link', { name: `Continue with ${button}` }).click();
  await page.getByRole('link', { name: 'Allow' }).click();
  return page;
}

async function fillClient(page: Page): Promise<void> {
  await page.getByLabel('Client ID').fill(clientId);
  await page.getByLabel('Client secret', { exact: true }).fill(clientSecret);
}

describeJourney(
  'a new source',
  (journey) => {
    test('is chosen by the name of the service, and takes seven clicks and fields with who gets an account', async () => {
      const { server } = journey();
      port.leadsTo(server.url);
      const page = await visitAdmin(journey(), '/sources/all/');
      await page.getByRole('link', { name: /^New/ }).click();
      await page.waitForURL('**/if/admin/sources/new/');
      await page.getByLabel('Search services').fill('azure ad');
      await page.getByRole('link', { name: /Microsoft Entra ID/ }).waitFor();
      expect(await page.locator('.gallery-item').count()).toBe(1);
      await page.getByLabel('Search services').fill('');
      await page.getByRole('link', { name: /^Google/ }).waitFor();
      await expectGoodLooks(page, 'the gallery of services');
      await page.getByRole('link', { name: /^Google/ }).click();
      await page.getByText(`${port.url}/source/oauth/callback/google/`).waitFor();
      const console = page.getByRole('link', { name: 'console of Google' });
      expect(await console.getAttribute('href')).toMatch(/^https:\/\/console\.cloud\.google\.com\//);
      expect(await page.getByLabel(/URL|^Address of|Issuer|tenant/).count()).toBe(0);
      // Google has no end_session_endpoint.
      expect(await page.getByText('/source/oauth/logout/').count()).toBe(0);
      await expectGoodLooks(page, 'the form of a service');
      await fillClient(page);
      await page.getByLabel('Everyone who signs in there').check();
      await page.getByRole('button', { name: 'Create source' }).click();
      await page.waitForURL('**/if/admin/sources/oauth/google/');
      const { body } = await server.admin.get('/sources/oauth/google/');
      const flow = (await server.admin.get('/flows/instances/default-source-enrollment/')).body;
      expect(body).toMatchObject({ provider_type: 'google', enrollment_flow: flow.pk, consumer_key: clientId });
      const visitor = await journey().window();
      await visitor.goto('/');
      await visitor.getByRole('link', { name: 'Continue with Google' }).waitFor();
      await page.waitForLoadState('networkidle');
    });

    test('gives accounts to addresses of some domains alone, if the service has verified them', async () => {
      const { server } = journey();
      port.leadsTo(server.url);
      const page = await visitAdmin(journey(), '/sources/new/?service=openid');
      // The answer to what was typed first arrives last.
      const released = Promise.withResolvers<void>();
      await page.route(/\/sources\/oauth\/\?dry_run/, async (route) => {
        if (route.request().postDataJSON().slug === 'ex') await released.promise;
        await route.fallback();
      });
      await page.getByLabel('Name on the sign-in page').fill('Ex');
      await page.getByLabel('Name on the sign-in page').fill('Example ID');
      await page.getByText('/source/oauth/callback/example-id/').waitFor();
      await page.getByText('/source/oauth/logout/example-id/').waitFor();
      const late = page.waitForResponse((response) => response.request().postData()?.includes('"slug":"ex"') === true);
      released.resolve();
      await (await late).finished();
      await page.waitForLoadState('networkidle');
      await page.getByText('/source/oauth/callback/example-id/').waitFor();
      await page.getByLabel('Issuer or discovery document').fill(peer.url);
      await fillClient(page);
      await page.getByLabel('Addresses at these domains').check();
      await page.getByLabel('Domains', { exact: true }).fill('no domain!');
      await page.getByRole('button', { name: 'Create source' }).click();
      await page.getByText('This is not a domain: domain!').waitFor();
      await page.getByLabel('Domains', { exact: true }).fill('@example.com, Example.org');
      await page.getByRole('button', { name: 'Create source' }).click();
      await page.waitForURL('**/if/admin/sources/oauth/example-id/');
      await page.waitForLoadState('networkidle');
      // Its configuration and keys are read beside the request.
      const withKeys = async () =>
        (await server.admin.get('/sources/oauth/?has_jwks=true&slug=example-id')).body.results;
      await expect.poll(withKeys, { timeout: 20_000 }).toHaveLength(1);

      const refused = [
        { email: 'mallory@evil.example', email_verified: true },
        { email: 'mallory@example.com', email_verified: false },
        { email: 'mallory@example.com.evil.example', email_verified: true },
        { email: 'mallory@sub.example.com', email_verified: true },
      ];
      for (const claims of refused) {
        const username = unique('mallory');
        const stranger = await comeIn(journey(), 'Example ID', {
          sub: username,
          preferred_username: username,
          ...claims,
        });
        await stranger.getByRole('heading', { level: 1 }).waitFor();
        expect([claims.email, await whoIs(stranger)]).toEqual([claims.email, null]);
        expect((await server.admin.get(`/core/users/?username=${username}`)).body.results).toEqual([]);
      }
      const username = unique('ada');
      const claims = { email: `${username}@EXAMPLE.org`, email_verified: true };
      const ada = await comeIn(journey(), 'Example ID', { sub: username, preferred_username: username, ...claims });
      await ada.waitForURL('**/if/user/');
      expect(await whoIs(ada)).toBe(username);
      // The flow alone creates no user.
      const walker = await journey().window({ tolerates: /status of 40[03]/ });
      await walker.goto('/if/flow/enrollment-example-id/');
      await walker.getByRole('heading', { name: 'Access denied' }).waitFor();
    });

    test('of a service with OAuth 2 takes its addresses, and one identifier signs in again', async () => {
      const { server } = journey();
      port.leadsTo(server.url);
      const page = await visitAdmin(journey(), '/sources/new/?service=oauth');
      await page.getByLabel('Name on the sign-in page').fill('Plain');
      await page.getByText(`${port.url}/source/oauth/callback/plain/`).waitFor();
      await expectGoodLooks(page, 'the form of any service with OAuth 2');
      await page.getByLabel('Authorization URL').fill(`${peer.url}/authorize`);
      await page.getByLabel('Token URL').fill(`${peer.url}/token`);
      await page.getByLabel('User info URL').fill(`${peer.url}/userinfo`);
      await page.getByLabel('Scopes').fill('me');
      await fillClient(page);
      await page.getByLabel('Everyone who signs in there').check();
      await page.getByRole('button', { name: 'Create source' }).click();
      await page.waitForURL('**/if/admin/sources/oauth/plain/');
      const { body } = await server.admin.get('/sources/oauth/plain/');
      expect(body).toMatchObject({ provider_type: 'oauth2', additional_scopes: 'me', oidc_well_known_url: '' });
      await page.waitForLoadState('networkidle');
      const username = unique('ada');
      for (let visit = 1; visit <= 2; visit++) {
        const ada = await comeIn(journey(), 'Plain', { sub: `id-${username}`, preferred_username: username });
        await ada.waitForURL('**/if/user/');
        expect(await whoIs(ada)).toBe(username);
      }
      expect((await server.admin.get(`/core/users/?search=${username}`)).body.results).toHaveLength(1);
    });

    test('enrolls only invited people, by their address', async () => {
      const { server } = journey();
      const page = await visitAdmin(journey(), '/sources/new/?service=keycloak');
      await page.getByLabel('Address of the realm').fill('id.example.com/realms/staff/');
      await fillClient(page);
      await page.getByLabel(/^Invited people/).check();
      await page.getByLabel('Show it on the sign-in page').uncheck();
      await page.getByRole('button', { name: 'Create source' }).click();
      await page.waitForURL('**/if/admin/sources/oauth/keycloak/');
      const { body } = await server.admin.get('/sources/oauth/keycloak/');
      expect(body).toMatchObject({
        ...{ provider_type: 'openidconnect', user_matching_mode: 'email_link', enrollment_flow: null },
        oidc_well_known_url: 'https://id.example.com/realms/staff/.well-known/openid-configuration',
      });
      const stages = (await server.admin.get('/stages/identification/')).body.results;
      expect(stages.flatMap(({ sources }: { sources: string[] }) => sources)).not.toContain(body.pk);
      await page.waitForLoadState('networkidle');
    });
  },
  { env: { ...loopbackAllowed, GATEHOUSE_PUBLIC_URL: port.url } },
);
