import { hash } from 'node:crypto';
import { stringifySetCookie } from 'cookie';
import type { InstanceKey } from '../../../platform/keys.ts';
import { type HostProvider, type HostSession, maxTokens } from './guarded-host.ts';
import { readCredentials } from './program-credentials.ts';

type Facing = Pick<HostProvider, 'client_id' | 'external_host' | 'mode' | 'cookie_domain'>;

const prefix = 'gatehouse_proxy_';
const pattern = /^(?:__Host-|__Secure-)?gatehouse_proxy_[0-9a-f]{16}$/;
export const isSessionCookie = (name: string): boolean => pattern.test(name);
const browserPrefix = 'gatehouse_proxy_browser_';

const isSecure = ({ external_host }: Facing) => external_host.startsWith('https:');
const isOfDomain = ({ mode }: Facing) => mode === 'forward_domain';
const idOf = ({ client_id }: Facing) => hash('sha256', `proxy cookie ${client_id}`).slice(0, 16);

/** Neighbours on the same site cannot set a cookie with `__Host-`, which a whole domain cannot have. */
function cookieName(provider: Facing, name: string): string {
  if (!isSecure(provider)) return name;
  return isOfDomain(provider) ? `__Secure-${name}` : `__Host-${name}`;
}

const sessionCookieName = (provider: Facing) => cookieName(provider, `${prefix}${idOf(provider)}`);

/** The cookie by which a browser is recognized that was sent to sign in. Only the external host reads it. */
const browserCookieName = (provider: Facing) => {
  const name = `${browserPrefix}${idOf(provider)}`;
  return isSecure(provider) ? `__Host-${name}` : name;
};

type Cookies = Readonly<Record<string, string | undefined>>;

/** The tokens that a request brings, by the hashes under which their sessions are stored. */
export interface Tokens {
  readonly hashes: readonly string[];
  /** Whether a session was found by the cookie that its provider sets, or by the Authorization header. */
  isOf(provider: Facing, session: Pick<HostSession, 'token_hash' | 'main'>): boolean;
}

export const tokenHash = (key: Pick<InstanceKey, 'hash'>, token: string) => key.hash(`proxy session ${token}`);
export const codeHash = (key: Pick<InstanceKey, 'hash'>, code: string) => key.hash(`proxy code ${code}`);
/** By the credentials themselves: each spelling of the same header would store a session of its own. */
export const authorizationHash = (key: Pick<InstanceKey, 'hash'>, header: string) =>
  key.hash(`proxy authorization ${JSON.stringify(readCredentials(header) ?? header)}`);
export const browserHash = (key: Pick<InstanceKey, 'hash'>, secret: string) => key.hash(`proxy browser ${secret}`);

/** Before the provider is known, any of its kind of cookie may be the right one. */
export function readTokens(
  key: Pick<InstanceKey, 'hash'>,
  cookies: Cookies,
  authorization: string | undefined,
): Tokens {
  // Neighbours can plant cookies without the first prefix, which must not crowd those out.
  const names = Object.keys(cookies)
    .filter((name) => pattern.test(name))
    .toSorted();
  const byHash = new Map(
    names.slice(0, maxTokens - 1).map((name) => [tokenHash(key, cookies[name] ?? ''), name] as const),
  );
  const ofHeader = authorization === undefined ? null : authorizationHash(key, authorization);
  return {
    hashes: [...byHash.keys(), ...(ofHeader === null ? [] : [ofHeader])],
    isOf: (provider, { token_hash, main }) =>
      main === null ? token_hash === ofHeader : byHash.get(token_hash) === sessionCookieName(provider),
  };
}

export const sessionCookie = (provider: Facing, value: string, maxAge: number): string =>
  stringifySetCookie({
    name: sessionCookieName(provider),
    value,
    path: '/',
    sameSite: 'lax',
    secure: isSecure(provider),
    httpOnly: true,
    maxAge,
    ...(isOfDomain(provider) && { domain: provider.cookie_domain }),
  });

export const readBrowser = (provider: Facing, cookies: Cookies): string | null =>
  cookies[browserCookieName(provider)] ?? null;

export const browserCookie = (provider: Facing, value: string): string =>
  stringifySetCookie({
    name: browserCookieName(provider),
    value,
    path: '/',
    sameSite: 'lax',
    secure: isSecure(provider),
    httpOnly: true,
  });
