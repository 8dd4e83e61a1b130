import type { NewSession } from './session.ts';

export const csrfHeader = 'x-gatehouse-csrf';

/**
 * The names of the cookies. Over TLS they carry a prefix that keeps subdomains and plain HTTP from setting them; there the
 * names without it count for nothing, or a neighbour could plant a session of their own.
 */
export function cookieNames(isSecure: boolean): { readonly session: string; readonly csrf: string } {
  const prefix = isSecure ? '__Host-' : '';
  return { session: `${prefix}gatehouse_session`, csrf: `${prefix}gatehouse_csrf` };
}

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
