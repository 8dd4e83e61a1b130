import { type Browser, openBrowser, signInByPassword } from '../../support/flow-client.ts';
import type { TestServer } from '../../support/server.ts';

export const username = 'conformance';
export const email = 'conformance@example.org';
/** All standard claims that a user's attributes can hold (OpenID Connect Core §5.1). */
export const attributes = {
  given_name: 'Connie',
  family_name: 'Formance',
  middle_name: 'M.',
  nickname: 'Con',
  profile: 'https://example.org/connie',
  picture: 'https://example.org/connie.png',
  website: 'https://connie.example.org/',
  gender: 'female',
  birthdate: '1990-05-17',
  zoneinfo: 'Europe/Zurich',
  locale: 'de-CH',
  updated_at: 1_700_000_000,
  address: { formatted: '1 Profile Street', country: 'CH' },
  phone_number: '+41 44 123 45 67',
  phone_number_verified: true,
};
const password = 'the-password-of-the-suite-0123456789';

/** What the suite asks an operator to set up: one person to sign in. */
export async function prepare(server: TestServer): Promise<void> {
  const { pk } = await server.user([], { username, email, name: 'Connie Formance', attributes });
  const { status, text } = await server.admin.post(`/core/users/${pk}/set_password/`, { password });
  if (status !== 204) throw new Error(`no password: ${text}`);
}

/** A browser with which the person has signed in. */
export async function signIn(server: TestServer, browser: Browser = openBrowser(server)): Promise<Browser> {
  const { text, body } = await signInByPassword(browser, username, password);
  if (body?.component !== 'xak-flow-redirect') throw new Error(`not signed in: ${text}`);
  return browser;
}

/** Signs in on the page that a browser was sent to; where it is led from there. */
export async function signInOn(browser: Browser, page: URL | null): Promise<string> {
  const [, flow = ''] = /^\/if\/flow\/([^/]+)\/$/.exec(page?.pathname ?? '') ?? [];
  const query = page?.search.slice(1);
  await browser.show(flow, query);
  await browser.answer(flow, { uid_field: username }, query);
  const { body, text } = await browser.answer(flow, { password }, query);
  if (body?.component !== 'xak-flow-redirect') throw new Error(`not signed in: ${text}`);
  return body.to;
}
