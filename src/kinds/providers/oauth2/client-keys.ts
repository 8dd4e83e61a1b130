import { isKeySet } from '../../../platform/fetch/remote-keys.ts';
import type { Row } from '../../../resource/fields/field.ts';
import { json } from '../../../resource/fields/structured.ts';

const maxKeys = 50;
/** Members that only a private or a secret key has (RFC 7518 §6). */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/** A client's own public keys (RFC 7591 §2). An empty object is none. */
export const clientJwks = () =>
  json({
    default: () => ({}),
    check: jwksComplaint,
    help: 'The public keys of the client as a JWK Set, by which its assertions and signed requests are verified.',
    group: 'Advanced',
  });

export function jwksComplaint(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return 'A JWK Set is expected: an object with a list of keys.';
  if (Object.keys(value).length === 0) return null;
  const keys: unknown = 'keys' in value ? value.keys : null;
  if (!Array.isArray(keys)) return 'A JWK Set is expected: an object with a list of keys.';
  if (keys.length > maxKeys) return `A JWK Set may hold at most ${maxKeys} keys.`;
  if (!keys.every(isJwk)) return 'Each key must be an object that names its type (kty).';
  const isPublic = keys.every((key) => privateMembers.every((member) => !Object.hasOwn(key, member)));
  return isPublic ? null : 'The JWK Set holds a private or secret key. Only public keys belong here; replace that key.';
}

/** RFC 7591 §2: keys are registered by value or by address, never both. */
export function clientKeysComplaint({ jwks, jwks_uri }: Row): string | null {
  if (jwks_uri === '') return null;
  const protocol = typeof jwks_uri === 'string' ? URL.parse(jwks_uri)?.protocol : undefined;
  if (protocol !== 'https:' && protocol !== 'http:') return 'Enter a web address.';
  return isKeySet(jwks) ? 'Set either jwks or jwks_uri, not both.' : null;
}

const isJwk = (key: unknown): boolean =>
  typeof key === 'object' && key !== null && 'kty' in key && typeof key.kty === 'string';
