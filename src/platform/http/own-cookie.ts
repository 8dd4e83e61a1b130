import { stringifySetCookie } from 'cookie';

export interface OwnCookie {
  readonly name: string;
  readonly value: string;
  readonly isSecure: boolean;
  /** Whether scripts of our pages may read it. */
  readonly isReadable?: boolean;
  /** Without an age the cookie ends with the browser. */
  readonly maxAgeSeconds?: number | null;
}

/**
 * Over TLS a cookie's name carries a prefix that keeps subdomains and plain HTTP from setting it; there the name without it
 * counts for nothing, or a neighbour could plant a session of their own.
 */
export const hostCookieName = (name: string, isSecure: boolean): string => (isSecure ? `__Host-${name}` : name);

/** The value of a `Set-Cookie` header for a cookie that goes back to this host alone. */
export const ownCookieHeader = ({
  name,
  value,
  isSecure,
  isReadable = false,
  maxAgeSeconds = null,
}: OwnCookie): string =>
  stringifySetCookie({
    name: hostCookieName(name, isSecure),
    value,
    path: '/',
    sameSite: 'lax',
    secure: isSecure,
    httpOnly: !isReadable,
    ...(maxAgeSeconds !== null && { maxAge: maxAgeSeconds }),
  });
