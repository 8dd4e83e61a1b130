import { isIP } from 'node:net';

/** The address of an application without anything that its host does not decide; null if it is not one. */
export function parseExternalHost(text: string): URL | null {
  const url = /[\s\p{Cc}\\]/u.test(text) ? null : URL.parse(text);
  if (!url || !isWeb(url) || url.search !== '' || url.hash !== '') return null;
  return url;
}

const isWeb = ({ protocol, hostname, username, password }: URL): boolean =>
  (protocol === 'https:' || protocol === 'http:') && hostname !== '' && username === '' && password === '';

/** Host names are compared without case and without the dot of the root. */
export const normalHost = (host: string): string => host.toLowerCase().replace(/\.(?=:\d+$|$)/, '');

/** `.Example.com` is `example.com`. */
export const normalDomain = (domain: string): string => normalHost(domain.replace(/^\./, ''));

/** Whether a host name is this domain or within it. `evilexample.com` is not within `example.com`. */
export const isWithinDomain = (hostname: string, domain: string): boolean =>
  hostname === domain || hostname.endsWith(`.${domain}`);

const label = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

/** Browsers accept no cookies for a whole top-level domain, nor for an address. */
export function cookieDomainComplaint(domain: string): string | null {
  const labels = domain.split('.');
  if (isIP(domain) !== 0 || labels.length < 2 || !labels.every((one) => label.test(one)))
    return 'Enter a domain such as example.com.';
  return null;
}
