import { stringifySetCookie } from 'cookie';

export interface OwnCookie {
  readonly name: string;
  readonly value: string;
  readonly isSecure: boolean;
  /** Whether scripts of our pages may read it. */
  readonly isReadable?: boolean;
  /** Without it, a session cookie. */
  readonly maxAgeSeconds?: number | null;
}

/**
 * Over TLS cookie names have the `__Host-` prefix, so subdomains and plain HTTP cannot set them. The name without the
 * prefix is ignored there, or a neighbour could plant a session.
 */
export const hostCookieName = (name: string, isSecure: boolean): string => (isSecure ? `__Host-${name}` : name);

/** The value of a `Set-Cookie` header for a host-only cookie. */
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
