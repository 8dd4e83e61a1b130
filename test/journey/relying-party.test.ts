import { afterAll, expect, test } from 'vitest';
import { describeJourney, signInOn, whoIs } from '../support/journey.ts';
import { makeWalk } from '../support/make-walk.ts';
import type { Made } from '../support/providers.ts';
import { type RealClient, startRealClient } from '../support/real-client.ts';
import { asForm, makeRelyingParty } from '../support/relying-party.ts';
import type { TestServer } from '../support/server.ts';

const password = 'a long enough password for Ada';
const explicit = 'default-provider-authorization-explicit-consent';

describeJourney('a web application that signs people in here', (journey) => {
  let real: RealClient | undefined;
  afterAll(() => real?.close());

  async function begin(server: TestServer, flow = explicit, values: Record<string, unknown> = {}) {
    real ??= await startRealClient(() => journey().server);
    const strict = (path: string) => [{ matching_mode: 'strict', url: `${real?.url}${path}` }];
    const party = await makeRelyingParty(
      server,
      { redirect_uris: strict('/callback'), post_logout_redirect_uris: strict('/goodbye'), ...values },
      flow,
    );
    real.becomes(party);
    const person = await server.user();
    await server.admin.post(`/core/users/${person.pk}/set_password/`, { password });
    return { url: real.url, person, party };
  }

  /** A user who has signed in on their way to it, and is asked whether they agree. */
  async function atConsent() {
    const { server, window } = journey();
    const { url, person, party } = await begin(server);
    const page = await window();
    await page.goto(`${url}/`);
    await signInOn(page, person.username, password);
    await page.getByText(`You are about to sign in to ${party.application.name}.`).waitFor();
    return { page, url, person };
  }

  test('signs people in with their consent, asked once, and signs them out', async () => {
    const { page, url, person } = await atConsent();
    await page.getByRole('button', { name: 'Agree and continue' }).click();
    await page.getByRole('heading', { name: `Hello ${person.username}` }).waitFor();
    expect(await whoIs(page)).toBe(person.username);

    await page.goto(`${url}/sign-out`);
    await page.getByRole('heading', { name: 'Goodbye' }).waitFor();
    expect(await whoIs(page)).toBeNull();

    // What they agreed to is remembered.
    await page.goto(`${url}/`);
    await signInOn(page, person.username, password);
    await page.getByRole('heading', { name: `Hello ${person.username}` }).waitFor();
  });

  test('learns that people do not agree, and may ask again', async () => {
    const { page, url, person } = await atConsent();
    await page.getByRole('button', { name: 'Do not agree' }).click();
    await page.getByRole('heading', { name: 'Not let in: access_denied' }).waitFor();
    expect(await whoIs(page)).toBe(person.username);
    await page.goto(`${url}/`);
    await page.getByRole('button', { name: 'Agree and continue' }).click();
    await page.getByRole('heading', { name: `Hello ${person.username}` }).waitFor();
  });

  test.each(['after they agreed', 'at once'])(
    'learns that a flow denies them %s, when they have read why',
    async (when) => {
      const { server, window } = journey();
      const deny = ['deny', { deny_message: 'Not on a Sunday.' }] as const;
      const isAtOnce = when === 'at once';
      const { slug } = await makeWalk(server, isAtOnce ? [deny] : [['consent'], deny], {
        designation: 'authorization',
      });
      const { url, person, party } = await begin(server, slug);
      const page = await window({ tolerates: /status of 403/ });
      await page.goto(`${url}/`);
      await signInOn(page, person.username, password);
      if (!isAtOnce) await page.getByRole('button', { name: 'Agree and continue' }).click();
      await page.getByRole('heading', { name: 'Access denied' }).waitFor();
      await page.getByText('Not on a Sunday.').waitFor();
      await page.getByRole('link', { name: `Back to ${party.application.name}` }).click();
      await page.getByRole('heading', { name: 'Not let in: access_denied' }).waitFor();
      expect(await whoIs(page)).toBe(person.username);
    },
  );

  test('has a device that people refuse, at once or on the consent page', async () => {
    const { server, window } = journey();
    const { person, party } = await begin(server);
    const proof = { client_id: party.clientId, client_secret: party.clientSecret };
    const ask = async (endpoint: string, fields: Record<string, string>) =>
      (await (await fetch(`${server.url}/application/o/${endpoint}/`, asForm({ ...proof, ...fields }))).json()) as Made;
    const page = await window();
    for (const isAtOnce of [true, false]) {
      const { user_code, device_code } = await ask('device', { scope: 'openid' });
      await page.goto(`/device?code=${user_code}`);
      if (isAtOnce) await signInOn(page, person.username, password);
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('heading', { name: `Sign in to ${party.application.name}?` }).waitFor();
      if (!isAtOnce) await page.getByRole('button', { name: 'Connect the device' }).click();
      await page.getByRole('button', { name: isAtOnce ? 'Do not connect it' : 'Do not agree' }).click();
      await page.getByRole('heading', { name: 'Your device is not connected' }).waitFor();
      const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
      expect((await ask('token', { grant_type, device_code })).error).toBe('access_denied');
    }
  });

  test('hears by front channel when people sign out here', async () => {
    const { server, window } = journey();
    real ??= await startRealClient(() => journey().server);
    const { url, person } = await begin(server, undefined, { frontchannel_logout_uri: `${real.url}/over` });
    const page = await window();
    await page.goto(`${url}/`);
    await signInOn(page, person.username, password);
    await page.getByRole('button', { name: 'Agree and continue' }).click();
    await page.getByRole('heading', { name: `Hello ${person.username}` }).waitFor();
    const before = real.over.length;
    await page.goto('/if/user/');
    await page.locator('summary', { hasText: 'Account menu' }).click();
    await page.getByRole('link', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    await expect.poll(() => real?.over.length).toBe(before + 1);
    expect(await whoIs(page)).toBeNull();
    await page.getByLabel('Email address or username').waitFor();
    // It has forgotten them as well, and has to ask again.
    await page.goto(`${url}/`);
    await page.getByLabel('Email address or username').waitFor();
  });

  test('cannot sign people out unasked, and takes them back when they agree', async () => {
    const { server, window } = journey();
    const { url, person } = await begin(server);
    const page = await window();
    await page.goto('/if/user/');
    await signInOn(page, person.username, password);
    await page.waitForURL('**/if/user/**');
    await page.goto(`${url}/quick-sign-out`);
    await page.getByRole('heading', { name: 'Do you want to sign out?' }).waitFor();
    expect(await whoIs(page)).toBe(person.username);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Goodbye' }).waitFor();
    expect(await whoIs(page)).toBeNull();
  });

  test('may sign people in in a popup, and gets the popup back', async () => {
    const { server, window } = journey();
    const { url, person } = await begin(server);
    const page = await window();
    await page.goto(`${url}/goodbye`);
    const opened = page.context().waitForEvent('page');
    await page.evaluate('window.signIn = window.open("/", "sign-in", "popup")');
    const popup = await opened;
    await signInOn(popup, person.username, password);
    await popup.getByRole('button', { name: 'Agree and continue' }).click();
    await popup.getByRole('heading', { name: `Hello ${person.username}` }).waitFor();
    expect(await page.evaluate('[window.signIn.closed, window.signIn.location.href]')).toEqual([false, `${url}/`]);
  });
});
