import { Problem } from '../../lib/problem.ts';
import { addMilliseconds } from '../../platform/clock.ts';
import type { Call } from '../call.ts';

// A session alone is not enough to change what opens an account: it may be stolen, or left open. Its user must have
// authenticated a moment ago (with the factor or password that their sign-in flow demands). Tokens are exempt: each use
// presents the secret.

/** Whether an operation demands it: always, or in a case that its handler checks (`to change …`). */
export type RecentAuthentication = true | string;

/** Redirects to the sign-in flow of the host, and from there to `next`. */
export const authenticatePath = '/if/authenticate/';

export const authenticateAgain = (next: string): string => `${authenticatePath}?${new URLSearchParams({ next })}`;

const recentMs = 10 * 60_000;

export function isRecentlyAuthenticated({ actor, now }: Pick<Call, 'actor' | 'now'>): boolean {
  if (!actor || actor.session === null) return true;
  return typeof actor.provenAt === 'string' && addMilliseconds(actor.provenAt, recentMs) > now;
}

/** The same for what opens an account, if it is the caller's own. */
export function checkRecentlyAuthenticatedFor(user: number, call: Pick<Call, 'actor' | 'now'>): void {
  if (call.actor?.user.pk === user) checkRecentlyAuthenticated(call);
}

/** Refuses a session whose user has not proven recently who they are. */
export function checkRecentlyAuthenticated(call: Pick<Call, 'actor' | 'now'>): void {
  if (!isRecentlyAuthenticated(call)) throw new NotRecentlyAuthenticated();
}

export class NotRecentlyAuthenticated extends Problem {
  constructor() {
    super('recent_authentication_required');
  }

  override body(): Record<string, unknown> {
    return { ...super.body(), authenticate_url: authenticatePath };
  }
}
