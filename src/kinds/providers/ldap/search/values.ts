import { asObject, type JsonObject } from '../../../../lib/json.ts';
import { normalizeType } from '../../../../lib/ldap/dn.ts';

/** Attributes of an entry under construction; what has no values is left out. */
export class Attributes extends Map<string, readonly string[]> {
  put(name: string, ...values: readonly (string | null | undefined)[]): this {
    const present = values.filter((value): value is string => typeof value === 'string' && value !== '');
    if (present.length > 0) this.set(normalizeType(name), present);
    return this;
  }
}

const maxValue = 10_000;

/**
 * The published attributes of a user or group. Names of attributes may not hold slashes and dots; objects and values
 * over the limit have no text. `%s` in a user's attribute stands for the username.
 */
export function putPublished(
  attributes: Attributes,
  stored: JsonObject,
  published: readonly string[],
  username: string | null,
): void {
  if (published.length === 0) return;
  const wanted = new Set(published.map(normalizeType));
  for (const [key, value] of Object.entries(stored)) {
    const name = normalizeType(key.replaceAll('/', '-').replaceAll('.', ''));
    if (!wanted.has(name)) continue;
    const texts = (Array.isArray(value) ? value : [value]).flatMap((one) => {
      if (typeof one === 'number' || typeof one === 'boolean') return String(one);
      if (typeof one !== 'string' || one.length > maxValue) return [];
      return username === null ? one : one.replaceAll('%s', () => username);
    });
    attributes.put(name, ...texts);
  }
}

/** Only a whole number above zero: the number of root is not one that people have. */
export function numberIn(stored: JsonObject, name: string): string | null {
  const value = stored[name];
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || !/^[1-9]\d{0,9}$/.test(text)) return null;
  return Number(text) <= 0x7fffffff ? text : null;
}

export const storedAttributes = (text: unknown): JsonObject => asObject(JSON.parse(String(text)));

/** `2026-11-19T08:00:00.123456Z` as generalized time (RFC 4517, section 3.3.13). */
export const generalizedTime = (timestamp: unknown): string | null =>
  typeof timestamp === 'string' ? `${timestamp.slice(0, 19).replaceAll(/\D/g, '')}Z` : null;
