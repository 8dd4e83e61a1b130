import { isStorable } from '../../../resource/fields/well-formed.ts';

/** A username that says: the password is a bearer token. */
const bearerName = 'gatehouse/token';
/** Tokens of clusters and build servers are long. */
const maxHeader = 8_192;

export interface ProgramCredentials {
  /** Null for a bearer token, which says by itself whose it is. */
  readonly username: string | null;
  readonly secret: string;
}

/** The credentials in an Authorization header; null if they can be neither an app password nor a token. */
export function readCredentials(header: string): ProgramCredentials | null {
  // Not cut off: the end of a token is its signature.
  if (header.length > maxHeader) return null;
  const [, scheme = '', value = ''] = /^(basic|bearer) +([\w.~+/=-]+)$/i.exec(header) ?? [];
  if (scheme === '') return null;
  if (scheme.toLowerCase() === 'bearer') return { username: null, secret: value };
  const text = Buffer.from(value, 'base64').toString('utf8');
  const at = text.indexOf(':');
  const [username, secret] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
  if (at === -1 || !isStorable(username)) return null;
  return { username: username === bearerName ? null : username, secret };
}
