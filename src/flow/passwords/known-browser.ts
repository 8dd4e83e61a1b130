import { hostCookieName, ownCookieHeader } from '../../platform/http/own-cookie.ts';
import type { InstanceKey } from '../../platform/keys.ts';
import { randomText } from '../../platform/random.ts';
import type { Call } from '../../resource/call.ts';

export interface KnownBrowserNeeds {
  readonly key: InstanceKey;
  readonly config: { readonly publicUrl: string };
}

const purpose = 'known browser';
const cookieName = 'gatehouse_known';
const lifetimeMs = 180 * 86_400_000;
const isSecure = ({ config }: KnownBrowserNeeds): boolean => config.publicUrl.startsWith('https:');

/** Marks a browser in which a user has entered the correct password. */
export function knownBrowserCookie(needs: KnownBrowserNeeds, user: number, now: string): string {
  const text = `${user}.${randomText(22)}.${Date.parse(now)}`;
  const value = `${text}.${needs.key.sign(purpose, text)}`;
  return ownCookieHeader({ name: cookieName, value, isSecure: isSecure(needs), maxAgeSeconds: lifetimeMs / 1000 });
}

/** The browser's id for this user; null if it is not known. */
export function knownBrowserOf(needs: KnownBrowserNeeds, { request, now }: Call, user: number | null): string | null {
  const value = request.cookies[hostCookieName(cookieName, isSecure(needs))] ?? '';
  const [owner, id = '', at = '', signature = ''] = value.split('.');
  if (user === null || owner !== String(user)) return null;
  if (!needs.key.verify(purpose, `${owner}.${id}.${at}`, signature)) return null;
  return Date.parse(now) - Number(at) < lifetimeMs ? id : null;
}
