import { isSameJson, type JsonObject } from '../../lib/json.ts';

/** Attributes that applications, matching or the server itself rely on (privilege escalation by mass assignment). */
const vouching: ReadonlySet<string> = new Set(['email_verified', 'phone_number_verified', 'upn', 'distinguishedName']);

/** The server's own marks, such as how long tokens of the user may be valid. */
const ownPrefix = 'gatehouse/';

/** The trusted attributes among these: invitations and forms must not set them. */
export const trustedAttributeNames = (attributes: JsonObject): string[] =>
  Object.keys(attributes).filter((name) => vouching.has(name) || name.startsWith(ownPrefix));

/** Attributes without the trusted ones, unless the source returned the same values. */
export function withoutTrustedAttributes(attributes: JsonObject, vouchedFor: JsonObject = {}): JsonObject {
  const names = new Set(trustedAttributeNames(attributes));
  const isKept = (name: string) => !names.has(name) || isSameJson(attributes[name], vouchedFor[name]);
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => isKept(name)));
}
