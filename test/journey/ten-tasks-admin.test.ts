import type { Locator, Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { createFirstLoginLink } from '../../src/app/first-login-link.ts';
import { visitAdmin } from '../support/admin-visit.ts';
import { describeJourney, type Journey } from '../support/journey.ts';
import { unique } from '../support/make-walk.ts';
import { challenge, post, verifier } from '../support/oauth2.ts';
import { startWebhookReceiver } from '../support/receivers.ts';
import { makeRelyingParty } from '../support/relying-party.ts';
import { loopbackAllowed } from '../support/service.ts';

const webhook = await startWebhookReceiver();
afterAll(() => webhook.close());

/** Counts what a person does: each click, and each field that they fill in. */
function countSteps() {
  let steps = 0;
  const counted =
    <A extends readonly unknown[]>(act: (...args: A) => Promise<void>) =>
    (...args: A): Promise<void> => {
      steps += 1;
      return act(...args);
    };
  return {
    click: counted((at: Locator) => at.click()),
    fill: counted((at: Locator, text: string) => at.fill(text)),
    check: counted((at: Locator) => at.check()),
    count: () => steps,
  };
}

const link = (page: Page, name: string | RegExp) => page.getByRole('link', { name });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** A window of a user whom the server has never seen. */
async function openSignInLink({ server, window }: Journey): Promise<Page> {
  const { db, key, clock } = server.world;
  const user = (await server.admin.get('/core/users/me/')).body.user.pk;
  const publicUrl = server.url.replace('127.0.0.1', 'localhost');
  const address = await db.write((tx) => createFirstLoginLink(tx, key, { user, now: clock.now(), publicUrl }));
  const page = await window();
  await page.goto(address);
  return page;
}

// The numbers are the most that a person may need without documentation.
describeJourney(
  'an administrator without documentation',
  (journey) => {
    test('signs in to their first application in 14 steps, counted from the sign-in link', async () => {
      const { server } = journey();
      const { click, fill, count } = countSteps();
      const name = unique('Board');
      const page = await openSignInLink(journey());
      await click(button(page, 'Sign in'));
      await click(link(page, 'Connect an application'));
      await fill(page.getByLabel('Search applications'), 'any web');
      await click(link(page, /^Any web application/));
      await fill(page.getByLabel('Name (required)'), name);
      await fill(page.getByLabel('Address (required)'), 'https://board.example');
      await click(button(page, 'Continue'));
      await click(button(page, 'Create'));
      await page.getByText(`Waiting for the first sign-in from ${name}…`).waitFor();
      // All that the application asks for, secret included.
      await click(button(page, 'Copy all'));
      const { provider } = (await server.admin.get(`/core/applications/${name.toLowerCase()}/`)).body;
      const client = (await server.admin.get(`/providers/oauth2/${provider}/`)).body;
      const redirect_uri = 'https://board.example/callback';
      const asked = new URLSearchParams({
        ...{ client_id: client.client_id, redirect_uri, response_type: 'code', scope: 'openid' },
        ...{ code_challenge: challenge, code_challenge_method: 'S256' },
      });
      // The application leads here, and the browser back to it without a question.
      const authorize = `${new URL(page.url()).origin}/application/o/authorize/?${asked}`;
      const back = await page.request.get(authorize, { maxRedirects: 0 });
      const code = new URL(back.headers().location ?? '').searchParams.get('code') ?? '';
      const { status } = await post(server, 'token', {
        ...{ grant_type: 'authorization_code', code, redirect_uri, code_verifier: verifier },
        ...{ client_id: client.client_id, client_secret: client.client_secret },
      });
      expect(status).toBe(200);
      await page.getByText(`${name} has signed a user in.`).waitFor();
      expect(count()).toBeLessThanOrEqual(14);
      await page.waitForLoadState('networkidle');
    });

    test('gives the brand a logo and a colour in 5 steps', async () => {
      const { click, fill, count } = countSteps();
      const page = await visitAdmin(journey(), '/core/brands/');
      await click(page.getByRole('main').getByRole('rowheader').getByRole('link').first());
      await click(link(page, 'Edit'));
      await fill(page.locator('[data-field="branding_logo"] input'), '/static/favicon.svg');
      await fill(page.getByLabel('Accent colour', { exact: true }), '#0a7a4b');
      await click(button(page, 'Save'));
      await page.waitForURL('**/if/admin/core/brands/**');
      const { results } = (await journey().server.admin.get('/core/brands/?default=true')).body;
      expect(results[0]).toMatchObject({
        branding_logo: '/static/favicon.svg',
        attributes: { settings: { theme: { accent: '#0a7a4b' } } },
      });
      expect(count()).toBeLessThanOrEqual(5);
      await page.waitForLoadState('networkidle');
    });

    test('rotates a client secret in 3 steps from the application', async () => {
      const { server } = journey();
      const { click, count } = countSteps();
      const { slug, provider, clientSecret } = await makeRelyingParty(server);
      const page = await visitAdmin(journey(), `/core/applications/${slug}/`);
      await click(link(page, 'Sign-in'));
      await click(button(page, 'New secret…'));
      await click(page.getByRole('dialog').getByRole('button', { name: 'Create' }));
      const shown = await page.getByRole('dialog', { name: 'The new client secret' }).locator('code').innerText();
      expect(shown).not.toBe(clientSecret);
      expect((await server.admin.get(`/providers/oauth2/${provider.pk}/`)).body.client_secret).toBe(shown);
      expect(count()).toBeLessThanOrEqual(3);
      await page.waitForLoadState('networkidle');
    });

    test('lets people sign in with Google in 7 steps, and says who gets an account', async () => {
      const { admin } = journey().server;
      const { click, fill, check, count } = countSteps();
      const page = await visitAdmin(journey(), '/');
      await click(page.getByRole('navigation', { name: 'Administration' }).getByRole('link', { name: 'Sources' }));
      await click(link(page, /^New/));
      await click(link(page, /^Google/));
      await fill(page.getByLabel('Client ID'), 'a-client.apps.googleusercontent.com');
      await fill(page.getByLabel('Client secret', { exact: true }), 'a client secret of Google');
      await check(page.getByLabel('Everyone who signs in there'));
      await click(button(page, 'Create source'));
      await page.waitForURL('**/if/admin/sources/oauth/google/');
      const { body } = await admin.get('/sources/oauth/google/');
      expect([body.provider_type, body.enrollment_flow === null]).toEqual(['google', false]);
      expect(count()).toBeLessThanOrEqual(7);
      await page.waitForLoadState('networkidle');
    });

    test('sends failed sign-ins to a webhook in 6 steps', async () => {
      const { admin } = journey().server;
      const { click, fill, count } = countSteps();
      const fail = () =>
        admin.post('/events/events/', { action: 'login_failed', app: 'svc_core', context: { username: 'mallory' } });
      await fail();
      const page = await visitAdmin(journey(), '/');
      await click(link(page, /^Failed sign-ins in 24 hours/));
      await click(page.getByText('A sign-in as mallory failed.').first());
      await click(link(page, 'Create a rule from this…'));
      const dialog = page.getByRole('dialog');
      await fill(dialog.getByLabel('Webhook address'), webhook.url);
      await expect.poll(() => dialog.getByRole('combobox', { name: 'Group' }).inputValue()).toBe('Gatehouse Admins');
      await click(dialog.getByRole('button', { name: 'Create' }));
      await page.getByText(/^The rule .* works from now on\.$/).waitFor();
      expect(webhook.bodies).toEqual([]);
      await fail();
      await expect.poll(() => webhook.bodies.length, { timeout: 20_000 }).toBe(1);
      expect(JSON.stringify(webhook.bodies[0])).toContain('mallory');
      expect(count()).toBeLessThanOrEqual(6);
      await page.waitForLoadState('networkidle');
    });
  },
  { env: loopbackAllowed },
);
