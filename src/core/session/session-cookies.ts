import { equalInConstantTime } from '../../lib/constant-time.ts';
import { Problem } from '../../lib/problem.ts';
import type { RequestFacts } from '../../platform/http/request-facts.ts';
import type { InstanceKey } from '../../platform/keys.ts';
import type { NewSession } from './session.ts';

export const csrfHeader = 'x-gatehouse-csrf';

/**
 * Over TLS a cookie's name carries a prefix that keeps subdomains and plain HTTP from setting it; there the name without it
 * counts for nothing, or a neighbour could plant a session of their own.
 */
export const hostCookieName = (name: string, isSecure: boolean): string => (isSecure ? `__Host-${name}` : name);

/** The names of the cookies of a session. */
export const cookieNames = (isSecure: boolean): { readonly session: string; readonly csrf: string } => ({
  session: hostCookieName('gatehouse_session', isSecure),
  csrf: hostCookieName('gatehouse_csrf', isSecure),
});

export interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly options: {
    readonly path: '/';
    readonly secure: boolean;
    readonly httpOnly: boolean;
    readonly sameSite: 'lax';
    /** Left out: the cookie ends with the browser. */
    readonly maxAge?: number;
  };
}

/** The cookies of a session that has begun; scripts may read the CSRF token, never the session. */
export function sessionCookies(
  { token, csrfToken }: Pick<NewSession, 'token' | 'csrfToken'>,
  isSecure: boolean,
  maxAgeSeconds: number | null = null,
): Cookie[] {
  return cookies(isSecure, token, csrfToken, maxAgeSeconds);
}

/** What makes a browser forget its session. */
export const endedSessionCookies = (isSecure: boolean): Cookie[] => cookies(isSecure, '', '', 0);

function cookies(isSecure: boolean, session: string, csrf: string, maxAge: number | null): Cookie[] {
  const names = cookieNames(isSecure);
  const common = { path: '/', secure: isSecure, sameSite: 'lax', ...(maxAge !== null && { maxAge }) } as const;
  return [
    { name: names.session, value: session, options: { ...common, httpOnly: true } },
    { name: names.csrf, value: csrf, options: { ...common, httpOnly: false } },
  ];
}

/** The value of a `Set-Cookie` header. */
export function cookieHeader({ name, value, options }: Cookie): string {
  const { path, secure, httpOnly, maxAge } = options;
  const age = maxAge === undefined ? [] : [`Max-Age=${maxAge}`];
  const flags = [...(httpOnly ? ['HttpOnly'] : []), ...(secure ? ['Secure'] : [])];
  return [`${name}=${value}`, `Path=${path}`, ...age, 'SameSite=Lax', ...flags].join('; ');
}

export const csrfTokenOf = (key: Pick<InstanceKey, 'hash'>, token: string): string => key.hash(`csrf:${token}`);

/** Refuses a request that another site may have made the browser send: it lacks what only our own pages can read. */
export function checkCsrfProof(
  { key, isSecure }: { readonly key: Pick<InstanceKey, 'hash'>; readonly isSecure: boolean },
  request: RequestFacts,
): void {
  const token = request.cookies[cookieNames(isSecure).session] ?? '';
  const proof = request.header(csrfHeader);
  if (!proof || !equalInConstantTime(proof, csrfTokenOf(key, token))) throw new Problem('csrf_failed');
}
