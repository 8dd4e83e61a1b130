import { type Browser, openBrowser } from './flow-client.ts';
import type { TestServer } from './server.ts';
import { type SignInOptions, signIn } from './session.ts';

/** A browser of a user who is signed in. */
export async function signedInBrowser(
  server: TestServer,
  user: number,
  { headers, ...options }: SignInOptions & { readonly headers?: Record<string, string> } = {},
): Promise<Browser> {
  const browser = openBrowser(server, headers);
  const { cookie, csrf } = await signIn(server, user, options);
  browser.cookies.set('gatehouse_session', cookie.split('=')[1] as string);
  browser.cookies.set('gatehouse_csrf', csrf);
  return browser;
}
