import { equalInConstantTime } from '../../lib/constant-time.ts';
import { Problem } from '../../lib/problem.ts';
import { hostCookieName, ownCookieHeader } from '../../platform/http/own-cookie.ts';
import type { RequestFacts } from '../../platform/http/request-facts.ts';
import type { InstanceKey } from '../../platform/keys.ts';

export const csrfHeader = 'x-gatehouse-csrf';

const sessionCookie = 'gatehouse_session';
const csrfCookie = 'gatehouse_csrf';

export const cookieNames = (isSecure: boolean): { readonly session: string; readonly csrf: string } => ({
  session: hostCookieName(sessionCookie, isSecure),
  csrf: hostCookieName(csrfCookie, isSecure),
});

/** `Set-Cookie` headers of a new session. Scripts may read the CSRF token, never the session token. */
export const sessionCookies = (
  { token, csrfToken }: { readonly token: string; readonly csrfToken: string },
  isSecure: boolean,
  maxAgeSeconds: number | null = null,
): string[] => [
  ownCookieHeader({ name: sessionCookie, value: token, isSecure, maxAgeSeconds }),
  ownCookieHeader({ name: csrfCookie, value: csrfToken, isSecure, maxAgeSeconds, isReadable: true }),
];

/** `Set-Cookie` headers that delete a session's cookies. */
export const endedSessionCookies = (isSecure: boolean): string[] =>
  sessionCookies({ token: '', csrfToken: '' }, isSecure, 0);

export const csrfTokenOf = (key: Pick<InstanceKey, 'hash'>, token: string): string => key.hash(`csrf:${token}`);

/** Refuses cross-site requests, which lack the CSRF token that only our own pages can read. */
export function checkCsrfProof(
  { key, isSecure }: { readonly key: Pick<InstanceKey, 'hash'>; readonly isSecure: boolean },
  request: RequestFacts,
): void {
  const token = request.cookies[cookieNames(isSecure).session] ?? '';
  const proof = request.header(csrfHeader);
  if (!proof || !equalInConstantTime(proof, csrfTokenOf(key, token))) throw new Problem('csrf_failed');
}
