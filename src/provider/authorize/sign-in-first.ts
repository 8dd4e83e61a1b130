import { sql } from 'kysely';
import { flowPage } from '../../flow/executor/challenge.ts';
import { addMilliseconds } from '../../platform/clock.ts';
import type { Query } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/statement.ts';
import type { Call } from '../../resource/call.ts';
import type { AuthorizationDependencies, RequestingProvider } from './dependencies.ts';

export interface FreshSignIn {
  /** The person must sign in for this request, whether or not they have signed in before. */
  readonly isForced: boolean;
  /** How long ago they may have signed in, in seconds; null when it does not matter. */
  readonly maxAge?: number | null;
}

/**
 * Whether the user must sign in (again) first. `sentAt` is when they were redirected to the sign-in: a later sign-in
 * suffices.
 */
export function isLoginRequired(
  { isForced, maxAge = null }: FreshSignIn,
  signedIn: string | null,
  sentAt: string | null,
  now: string,
): boolean {
  if (signedIn === null) return true;
  if (sentAt !== null && signedIn > sentAt) return false;
  if (isForced) return true;
  return maxAge !== null && addMilliseconds(signedIn, maxAge * 1000) < now;
}

/** The page of the authentication flow for this application, with its name; redirects to `next`. */
export async function signInPage(
  needs: Pick<AuthorizationDependencies, 'signInPath'>,
  call: Call,
  { authentication_flow, application }: Pick<RequestingProvider, 'authentication_flow' | 'application'>,
  { next, loginHint = null }: { readonly next: string; readonly loginHint?: string | null },
): Promise<string> {
  const slug = await slugOf(call.db.read, authentication_flow);
  const page = slug === null ? await needs.signInPath(call.request.host, call.db.read, next) : flowPage(slug, next);
  const about = new URLSearchParams({
    application: application.slug,
    ...(loginHint !== null && { login_hint: loginHint }),
  });
  return `${page}&${about}`;
}

const selectSlug = statement<[pk: string | null], { slug: string }>(
  (pk) => sql`select slug from flows where pk = ${pk}`,
);

export async function slugOf(query: Query, flow: string | null): Promise<string | null> {
  const [row] = await selectSlug(query, flow);
  return row?.slug ?? null;
}
