import { Problem } from '../lib/problem.ts';
import type { Actor, Credential } from './actor.ts';

export const everyCredential: readonly Credential[] = ['session', 'impersonated session', 'API token', 'access token'];

/** For what only the person may do: removing a second factor, linking an account. */
export const inPerson: readonly Credential[] = ['session'];

/** For all but what somebody does in the name of another. */
export const notActingAs: readonly Credential[] = ['session', 'API token', 'access token'];

/** For walks through flows: in a browser, impersonated or not. */
export const inBrowser: readonly Credential[] = ['session', 'impersonated session'];

/** For issuing what outlives the call: not during impersonation, and not for a client with a short-lived token. */
export const longLivedCredentials: readonly Credential[] = ['session', 'API token'];

/** Refuses a credential that the operation does not accept. */
export function checkCredential(taken: readonly Credential[] | undefined, actor: Actor | null): void {
  if (!actor || !taken || taken.includes(actor.credential)) return;
  throw new Problem(
    'permission_denied',
    actor.impersonator
      ? 'Nobody can do this for somebody else.'
      : `This cannot be done with an ${actor.credential}. It takes: ${taken.join(', ')}.`,
  );
}
