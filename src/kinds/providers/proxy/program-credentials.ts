import { isStorable } from '../../../resource/fields/well-formed.ts';

/** A username that says: the password is a bearer token. */
const bearerName = 'gatehouse/token';
const maxHeader = 2_000;

interface Credentials {
  /** Null for a bearer token, which says by itself whose it is. */
  readonly username: string | null;
  readonly secret: string;
}

/** The credentials in an Authorization header; null if they cannot be an app password. */
export function readCredentials(header: string): Credentials | null {
  const [, scheme = '', value = ''] = /^(basic|bearer) +([\w.~+/=-]+)$/i.exec(header.slice(0, maxHeader)) ?? [];
  if (scheme === '') return null;
  if (scheme.toLowerCase() === 'bearer') return { username: null, secret: value };
  const text = Buffer.from(value, 'base64').toString('utf8');
  const at = text.indexOf(':');
  const [username, secret] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
  if (at === -1 || !isStorable(username)) return null;
  return { username: username === bearerName ? null : username, secret };
}
