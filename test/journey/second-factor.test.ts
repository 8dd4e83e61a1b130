import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openBrowser, signInFlow } from '../support/flow-client.ts';
import { describeJourney, type Journey, signInOn, signOutOn, whoIs } from '../support/journey.ts';
import { makeWalk } from '../support/make-walk.ts';
import { appFrom, password, personWithPassword, step, stillClock } from '../support/second-factor.ts';

const clock = stillClock();

/** A browser's own authenticator, made of software, that agrees to everything. */
async function plugInAuthenticator(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  });
}

/** A user with a password, who has registered a passkey in this window. */
async function personWithPasskey(journey: Journey): Promise<{ username: string; page: Page }> {
  const { username } = await personWithPassword(journey.server);
  const page = await journey.window();
  await plugInAuthenticator(page);
  await page.goto(`/if/flow/${signInFlow}/?next=/if/flow/default-authenticator-webauthn-setup/`);
  await signInOn(page, username, password);
  await page.getByRole('button', { name: 'Register a passkey' }).click();
  await page.waitForURL('**/if/user/**');
  return { username, page };
}

/** Signs out, and begins to sign in again. */
async function signInAgain(page: Page, username: string): Promise<void> {
  await signOutOn(page);
  await page.waitForURL(`**/if/flow/${signInFlow}/`);
  await signInOn(page, username, password);
}

describeJourney(
  'a second factor',
  (journey) => {
    // One stays signed in, and was sent to the sign-in all the same.
    test('that one does not add after all leads back to the account', async () => {
      const { username } = await personWithPassword(journey().server);
      const page = await journey().window();
      await page.goto(`/if/flow/${signInFlow}/?next=/if/user/devices/`);
      await signInOn(page, username, password);
      for (const kind of ['Authenticator app', 'Passkey', 'Recovery codes']) {
        await page.getByRole('link', { name: kind }).click();
        await page.getByRole('link', { name: 'Cancel' }).waitFor();
        expect(await page.getByText('Not you?').count()).toBe(0);
        await page.getByRole('link', { name: 'Cancel' }).click();
        await page.waitForURL('**/if/user/devices/');
        await page.getByText('You have no devices yet.').waitFor();
      }
      await page.waitForLoadState('networkidle');
    });

    test('by an app is set up from the picture’s key, and asked for from then on', async () => {
      const { server } = journey();
      const { username } = await personWithPassword(server);
      const page = await journey().window();
      await page.goto(`/if/flow/${signInFlow}/?next=/if/flow/default-authenticator-totp-setup/`);
      await signInOn(page, username, password);
      await page.getByRole('img', { name: /QR code/ }).waitFor();
      await page.getByText('Cannot scan it?').click();
      const secret = (await page.locator('details code').innerText()).replaceAll(' ', '');
      const app = appFrom(server, openBrowser(server), `otpauth://totp/x?secret=${secret}&digits=6`);
      await page.getByLabel('Code from the app').fill('000 000');
      await page.keyboard.press('Enter');
      await page.locator('[aria-invalid=true]').waitFor();
      await page.getByLabel('Code from the app').fill(app.code());
      await page.keyboard.press('Enter');
      await page.waitForURL('**/if/user/**');

      clock.forward(step);
      await signInAgain(page, username);
      await page.getByText('Enter the code that your authenticator app shows.').waitFor();
      expect(await whoIs(page)).toBeNull();
      await page.getByLabel('Code').fill('111111');
      await page.keyboard.press('Enter');
      await page.locator('[aria-invalid=true]').waitFor();
      const code = app.code();
      await page.getByLabel('Code').fill(`${code.slice(0, 3)} ${code.slice(3)}`);
      await page.keyboard.press('Enter');
      await page.waitForURL('**/if/user/');
      expect(await whoIs(page)).toBe(username);
    });

    test('by recovery codes is one of several ways', async () => {
      const { server } = journey();
      const { username } = await personWithPassword(server);
      const page = await journey().window();
      await page.goto(`/if/flow/${signInFlow}/?next=/if/flow/default-authenticator-static-setup/`);
      await signInOn(page, username, password);
      await page.getByRole('list', { name: 'Codes' }).waitFor();
      const codes = await page.getByRole('list', { name: 'Codes' }).getByRole('listitem').allInnerTexts();
      await page.getByRole('button', { name: 'I have saved them' }).click();
      await page.waitForURL('**/if/user/**');
      await plugInAuthenticator(page);
      await page.goto('/if/flow/default-authenticator-webauthn-setup/');
      await page.getByRole('button', { name: 'Register a passkey' }).click();
      await page.waitForURL('**/if/user/**');

      await signInAgain(page, username);
      await page.getByRole('button', { name: /^Recovery code/ }).click();
      await page.getByRole('button', { name: 'Use another method' }).click();
      await page.getByRole('button', { name: /^Recovery code/ }).click();
      await page.getByLabel('Code').fill(codes[0] as string);
      await page.keyboard.press('Enter');
      await page.waitForURL('**/if/user/');
      expect(await whoIs(page)).toBe(username);
    });

    test('by a passkey is registered and used with the browser’s own authenticator', async () => {
      const { server } = journey();
      const { username, page } = await personWithPasskey(journey());
      await page.goto('/if/user/devices/');
      await page.getByRole('heading', { name: /^(Headless)?Chrom.* \(Linux\)$/ }).waitFor();
      const codes = page.getByRole('link', { name: 'Get recovery codes' });
      expect(await codes.getAttribute('href')).toContain('next=%2Fif%2Fuser%2Fdevices%2F');

      await signInAgain(page, username);
      await page.getByRole('button', { name: 'Use your passkey' }).click();
      await page.waitForURL('**/if/user/');
      expect(await whoIs(page)).toBe(username);

      // Without a name and a password: the passkey says whose it is.
      const walk = await makeWalk(
        server,
        [
          ['authenticator/validate', { device_classes: ['webauthn'], webauthn_user_verification: 'required' }],
          ['user_login'],
        ],
        { designation: 'authentication' },
      );
      await signOutOn(page);
      await page.waitForURL(`**/if/flow/${signInFlow}/`);
      await page.goto(`/if/flow/${walk.slug}/`);
      await page.getByRole('button', { name: 'Use your passkey' }).click();
      await page.waitForURL('**/if/user/');
      expect(await whoIs(page)).toBe(username);
    });

    test('by a passkey is offered where the name is filled in, and signs in at once', async () => {
      const { server } = journey();
      const { username, page } = await personWithPasskey(journey());
      await signOutOn(page);
      await page.waitForURL(`**/if/flow/${signInFlow}/`);
      expect(await page.getByLabel('Email address or username').getAttribute('autocomplete')).toBe('username');

      const validate = { device_classes: ['webauthn'], webauthn_user_verification: 'required' };
      const options = { designation: 'authentication' };
      const keys = await makeWalk(server, [['authenticator/validate', validate], ['user_login']], options);
      const { pk } = (await server.admin.get(`/flows/instances/${keys.slug}/`)).body;
      const names = { user_fields: ['username'], passwordless_flow: pk };
      const walk = await makeWalk(server, [['identification', names]], options);
      const stranger = await journey().window();
      await stranger.goto(`/if/flow/${walk.slug}/`);
      expect(await stranger.getByLabel('Username').getAttribute('autocomplete')).toBe('username webauthn');
      // On a busy machine the authenticator may miss the request; another visit asks again.
      const signsIn = async () => {
        await page.goto(`/if/flow/${walk.slug}/?next=/if/user/consents/`);
        const arrived = page.waitForURL(({ pathname }) => pathname === '/if/user/consents/', { timeout: 20_000 });
        return arrived.then(
          () => true,
          () => false,
        );
      };
      await expect.poll(signsIn, { timeout: 100_000 }).toBe(true);
      expect(await whoIs(page)).toBe(username);
    });

    test('that is not answered can be tried again', async () => {
      const { server } = journey();
      const { username } = await personWithPassword(server);
      const page = await journey().window();
      await page.goto(`/if/flow/${signInFlow}/?next=/if/flow/default-authenticator-webauthn-setup/`);
      await signInOn(page, username, password);
      const register = page.getByRole('button', { name: 'Register a passkey' });
      await register.waitFor();
      await page.evaluate(
        'navigator.credentials.create = async () => { throw new DOMException("", "NotAllowedError"); }',
      );
      await register.click();
      await page.getByRole('alert').filter({ hasText: 'did not answer' }).waitFor();
      await page.getByRole('button', { name: 'Try again' }).waitFor();
    });
  },
  { clock },
);
