import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { asked } from '../support/denied-request.ts';
import { describeJourney, signInOn, whoIs } from '../support/journey.ts';
import { made, makePrompt, makeWalk, unique } from '../support/make-walk.ts';
import { makeRelyingParty, type RelyingParty } from '../support/relying-party.ts';

const password = 'a long enough password for Ada';
const explicit = 'default-provider-authorization-explicit-consent';
/** What both applications show whoever comes back to them. */
const page = (_: IncomingMessage, response: ServerResponse) =>
  void response.writeHead(200, { 'content-type': 'text/html' }).end('<link rel="icon" href="data:,">Back');
const application = createServer(page).listen(0, '127.0.0.1');
await once(application, 'listening');
const callback = `http://localhost:${(application.address() as AddressInfo).port}/callback`;
afterAll(() => application.close());

describeJourney('two tabs of one browser', (journey) => {
  async function person() {
    const { server } = journey();
    const user = await server.user();
    await server.admin.post(`/core/users/${user.pk}/set_password/`, { password });
    return user;
  }

  const awaitCode = (page: Page) => page.waitForURL((url) => url.href.startsWith(`${callback}?`));

  async function twoTabs(): Promise<[Page, Page]> {
    const page = await journey().window();
    return [page, await page.context().newPage()];
  }

  const authorizePath = (party: RelyingParty) =>
    `/application/o/authorize/?${new URLSearchParams(asked(party, { redirect_uri: callback }))}`;
  const issuerAt = (page: Page) => new URL(page.url()).searchParams.get('iss');

  test('wait at the sign-in for two applications: each goes on to its own, and asks for its own consent', async () => {
    const { server } = journey();
    const redirect_uris = [{ matching_mode: 'strict', url: callback }];
    const one = await makeRelyingParty(server, { redirect_uris }, explicit);
    const other = await makeRelyingParty(server, { redirect_uris }, explicit);
    const { username } = await person();
    const [first, second] = await twoTabs();
    await first.goto(authorizePath(one));
    await first.getByLabel('Email address or username').waitFor();
    await second.goto(authorizePath(other));
    await second.getByLabel('Email address or username').waitFor();
    await signInOn(first, username, password);
    await first.getByText(`You are about to sign in to ${one.application.name}.`).waitFor();
    // Signed in by now, it goes straight to the question.
    await second.goto(authorizePath(other));
    await second.getByText(`You are about to sign in to ${other.application.name}.`).waitFor();
    // As in a browser that restores its tabs.
    await Promise.all([first.reload(), second.reload()]);
    await first.getByText(`You are about to sign in to ${one.application.name}.`).waitFor();
    await first.getByRole('button', { name: 'Agree and continue' }).click();
    await awaitCode(first);
    expect(issuerAt(first)).toContain(`/${one.slug}/`);
    await second.getByRole('button', { name: 'Agree and continue' }).click();
    await awaitCode(second);
    expect(issuerAt(second)).toContain(`/${other.slug}/`);
  });

  test('open two invitations: each makes the account that was meant', async () => {
    const { server } = journey();
    const fields = [await makePrompt(server, 'username', 'username'), await makePrompt(server, 'email', 'email')];
    const walk = await makeWalk(
      server,
      [['invitation/stages'], ['prompt/stages', { fields }], ['user_write'], ['user_login']],
      { designation: 'enrollment' },
    );
    const tabs = await twoTabs();
    const guests: { name: string; email: string }[] = [];
    for (const page of tabs) {
      const name = unique('guest');
      const email = `${name}@example.org`;
      guests.push({ name, email });
      const { token } = await made(server, '/stages/invitation/invitations/', {
        ...{ name, flow: walk.pk, single_use: true, fixed_data: { email } },
      });
      await page.goto(`/if/flow/${walk.slug}/?itoken=${token}`);
      await expect.poll(() => page.getByLabel('email').inputValue()).toBe(email);
    }
    for (const [n, page] of tabs.entries()) {
      const { name, email } = guests[n] as (typeof guests)[0];
      await page.getByLabel('username').fill(name);
      await page.keyboard.press('Enter');
      await page.waitForURL('**/if/user/');
      expect(await whoIs(page)).toBe(name);
      expect((await server.admin.get(`/core/users/?username=${name}`)).body.results[0].email).toBe(email);
    }
  });
});
