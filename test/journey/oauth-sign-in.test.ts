import { afterAll, beforeEach, expect, test } from 'vitest';
import { signInSource } from '../protocol/oauth-source/make-source.ts';
import { startOpenId } from '../protocol/oauth-source/openid-service.ts';
import { describeJourney, whoIs } from '../support/journey.ts';
import { makeWalk, unique } from '../support/make-walk.ts';
import { openPublicPort } from '../support/public-port.ts';
import { loopbackAllowed } from '../support/service.ts';

const peer = await startOpenId();
const port = await openPublicPort();
beforeEach(() => peer.reset());
afterAll(() => Promise.all([peer.close(), port.close()]));

describeJourney(
  'an OpenID provider',
  (journey) => {
    test('lets a user in by the button on the sign-in page, and refuses on a page with a way back', async () => {
      const { server } = journey();
      port.leadsTo(server.url);
      const source = await signInSource(server, {
        name: 'Example ID',
        oidc_well_known_url: `${peer.url}/discovery`,
      });
      const username = unique('visitor');
      peer.person = { sub: username, preferred_username: username, name: username };
      peer.override['/authorize'] = ({ path }) => {
        const asked = new URL(path, peer.url).searchParams;
        void peer.prepare(asked.get('nonce') ?? '');
        const back = (answer: Record<string, string>) =>
          `${asked.get('redirect_uri')}?${new URLSearchParams({ ...answer, state: asked.get('state') ?? '' })}`;
        const [allow, deny] = [back({ code: 'c' }), back({ error: 'access_denied' })];
        const link = (to: string, text: string) => `<a href="${to.replaceAll('&', '&amp;')}">${text}</a>`;
        return { body: `${link(allow, 'Allow')} ${link(deny, 'Deny')}`, headers: { 'content-type': 'text/html' } };
      };
      peer.override['/favicon.ico'] = () => ({ status: 204, body: '' });
      const walk = await makeWalk(server, [['identification', { user_fields: ['username'], sources: [source.pk] }]]);

      const page = await journey().window({ tolerates: /400/ });
      await page.goto(`${port.url}/if/flow/${walk.slug}/`);
      const button = page.getByRole('link', { name: 'Continue with Example ID' });
      await expect
        .poll(() => button.locator('img').evaluate((img) => 'naturalWidth' in img && img.naturalWidth))
        .toBeGreaterThan(0);
      await button.click();
      await page.getByRole('link', { name: 'Deny' }).click();
      await page.getByText('Example ID did not let you in').waitFor();
      await page.getByRole('link', { name: 'Back to sign in' }).waitFor();

      await page.goto(`${port.url}/if/flow/${walk.slug}/`);
      await button.click();
      await page.getByRole('link', { name: 'Allow' }).click();
      await page.waitForURL('**/if/user/');
      expect(await whoIs(page)).toBe(username);

      // Unlinks the account and links it again, from the user's own page.
      await page.goto(`${port.url}/if/user/connections/`);
      await page.getByRole('button', { name: /^Disconnect/ }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
      await page.getByRole('link', { name: 'Connect Example ID' }).click();
      await page.getByRole('button', { name: 'Connect Example ID' }).click();
      await page.getByRole('link', { name: 'Allow' }).click();
      await page.getByRole('button', { name: /^Disconnect/ }).waitFor();
    });
  },
  { env: { ...loopbackAllowed, GATEHOUSE_PUBLIC_URL: port.url } },
);
