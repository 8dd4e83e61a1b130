import { withArticle } from '../../lib/nouns.ts';
import { Problem } from '../../lib/problem.ts';
import type { Call } from '../call.ts';
import type { Operation } from '../document/operation.ts';
import type { Actor, Credential } from './actor.ts';
import { checkRecentlyAuthenticated } from './recent-authentication.ts';

export const notImpersonating = 'This cannot be done while you act as another user. Stop acting as them first.';

export const everyCredential: readonly Credential[] = ['session', 'impersonated session', 'API token', 'access token'];

/** For what only the person may do: removing a second factor, linking an account. */
export const inPerson: readonly Credential[] = ['session'];

/** All but impersonated sessions. */
export const notActingAs: readonly Credential[] = ['session', 'API token', 'access token'];

/**
 * What an action or endpoint accepts. One that every signed-in user may call is about the caller: impersonators cannot
 * change anything through it, unless it allows them to.
 */
export const acceptedBy = ({
  credentials,
  access,
  method,
}: Pick<Operation, 'credentials' | 'method'> & { readonly access: unknown }): readonly Credential[] | undefined =>
  credentials ?? (access === 'authenticated' && method !== 'GET' ? notActingAs : undefined);

/** For walks through flows: in a browser, impersonated or not. */
export const inBrowser: readonly Credential[] = ['session', 'impersonated session'];

/** For issuing what outlives the call: not during impersonation, and not for a client with a short-lived token. */
export const longLivedCredentials: readonly Credential[] = ['session', 'API token'];

/**
 * Refuses a credential that the operation does not accept, and a session that is not recently authenticated where that
 * is demanded.
 */
export function checkCredential(
  { credentials, recentAuthentication }: Pick<Operation, 'credentials' | 'recentAuthentication'>,
  call: Pick<Call, 'actor' | 'now'>,
): void {
  checkKind(credentials, call.actor);
  if (recentAuthentication === true) checkRecentlyAuthenticated(call);
}

function checkKind(taken: readonly Credential[] | undefined, actor: Actor | null): void {
  if (!actor || !taken || taken.includes(actor.credential)) return;
  throw new Problem(
    'permission_denied',
    actor.impersonator
      ? notImpersonating
      : `This cannot be done with ${withArticle(actor.credential)}. It takes: ${taken.join(', ')}.`,
  );
}
