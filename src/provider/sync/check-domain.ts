import { ObjectRefused } from './remote.ts';

/** Refuses addresses that a directory would not take, or that belong to others. */
export function checkDomain(address: string, domains: ReadonlySet<string>): void {
  if (address.startsWith('@')) throw new ObjectRefused(`Invalid email address: ${address}`);
  const domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase();
  if (!address.includes('@') || !domains.has(domain)) throw new ObjectRefused(`Invalid email domain: ${address}`);
}
