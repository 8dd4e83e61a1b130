import { personWithPassword } from './second-factor.ts';
import type { TestServer, TestUser } from './server.ts';
import { signedInBrowser } from './signed-in-browser.ts';
import {
  type AuthenticatorOptions,
  createAuthenticator,
  type SoftwareAuthenticator,
} from './software-authenticator.ts';

export interface PasskeyOwner extends TestUser {
  readonly key: SoftwareAuthenticator;
}

const setup = 'default-authenticator-webauthn-setup';

/** A user with a password and a passkey, which they registered through the flow of a fresh install. */
export async function personWithPasskey(
  server: TestServer,
  options: Partial<AuthenticatorOptions> = {},
): Promise<PasskeyOwner> {
  const user = await personWithPassword(server);
  const key = createAuthenticator({ origin: server.url, ...options });
  const browser = await signedInBrowser(server, user.pk);
  const { registration } = (await browser.show(setup)).body;
  const { body } = await browser.answer(setup, { response: key.register(registration) });
  if (body.component !== 'xak-flow-redirect') throw new Error(JSON.stringify(body));
  return { ...user, key };
}
