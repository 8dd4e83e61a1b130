import type { Query } from '../../platform/db/database.ts';
import { findNamedBrand, normalDomain } from '../brand/brand-of-host.ts';
import { mediaPrefix } from './media-store.ts';

const complaint = 'Enter an http or https URL, or a path that starts with /static/ or /media/.';
const ownRoute =
  'This address leads to this server itself, where images are only at paths that start with /static/ or /media/.';

/** Checks an address that pages will show as an image. Only http, https and our own files are allowed (XSS). */
export function imageAddressComplaint(address: string): string | null {
  const url = URL.parse(address, 'http://this.invalid');
  if (!url) return complaint;
  if (isWebAddress(address)) return url.hostname === '' ? complaint : null;
  // The browser's normalized path must be the path itself: no dot segments, no backslashes.
  return isOwnFile(address) && url.pathname === address ? null : complaint;
}

/** Browsers load images with the cookies of the viewer, so they must not point at our own dynamic routes (CSRF). */
export async function ownRouteComplaint(address: string, publicHost: string, query: Query): Promise<string | null> {
  if (!isSafeImage(address, publicHost)) return ownRoute;
  const url = isWebAddress(address) ? URL.parse(address) : null;
  if (!url || isOwnFile(url.pathname)) return null;
  return (await findNamedBrand(url.hostname, query)) === null ? null : ownRoute;
}

/** The same for addresses that are about to be shown, whatever their source. */
export function isSafeImage(address: string, publicHost: string): boolean {
  if (imageAddressComplaint(address) !== null) return false;
  const url = isWebAddress(address) ? URL.parse(address) : null;
  return url === null || normalDomain(url.hostname) !== normalDomain(publicHost) || isOwnFile(url.pathname);
}

/** The URL of a stored image: a bare name is an upload; null if there is none that pages may show. */
export function imageUrl(stored: string | null, publicHost: string): string | null {
  if (!stored) return null;
  const address = stored.startsWith('/') || isWebAddress(stored) ? stored : mediaPrefix + stored;
  return isSafeImage(address, publicHost) ? address : null;
}

const isWebAddress = (text: string): boolean => /^https?:\/\//i.test(text);

const isOwnFile = (path: string): boolean => /^\/(static|media)\//.test(path) && !/%2e|%2f|%5c/i.test(path);
