import { Problem } from '../lib/problem.ts';
import type { Actor, Credential } from './actor.ts';

export const everyCredential: readonly Credential[] = ['session', 'impersonated session', 'API token', 'access token'];

/** What only a person may do, with their own browser: giving up a second factor, linking an account elsewhere. */
export const inPerson: readonly Credential[] = ['session'];

/** A walk through a flow: in a browser, also of somebody who acts as another. */
export const inBrowser: readonly Credential[] = ['session', 'impersonated session'];

/** What gives out something that lasts: not while acting as another, and not for a client that has a token for an hour. */
export const longLivedCredentials: readonly Credential[] = ['session', 'API token'];

/** Refuses a caller who comes with a credential that the operation does not take. */
export function checkCredential(taken: readonly Credential[] | undefined, actor: Actor | null): void {
  if (!actor || !taken || taken.includes(actor.credential)) return;
  throw new Problem(
    'permission_denied',
    actor.impersonator
      ? 'Nobody can do this for somebody else.'
      : `This cannot be done with an ${actor.credential}. It takes: ${taken.join(', ')}.`,
  );
}
