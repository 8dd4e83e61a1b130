import { capitalized, spellOut } from '../../src/lib/spell-out.ts';
import type { ValueLabels } from '../../src/resource/document/json-schema.ts';

/** The names of paths of the API that do not follow from them. */
const partLabels: ValueLabels = {
  authenticators: 'Devices',
  crypto: 'Certificates',
  oauth2: 'OAuth 2',
  propertymappings: 'Property mappings',
  rbac: 'Roles and permissions',
};

/** The English name of the first part of a path: what the resources below it are about. */
export const englishPart = (part: string): string => partLabels[part] ?? spellOut(part);

/** The English name of a kind of objects, of one or of many: `SAML Providers` is `SAML providers`. */
export const englishKind = (name: string, labels: ValueLabels): string =>
  labels[name.toLowerCase()] ?? capitalized(inSmallLetters(name));

/** `OAuth Source`: `OAuth source`. */
export const inSmallLetters = (name: string): string =>
  name
    .split(' ')
    .map((word) => (/^[A-Z][a-z]+(-[A-Z]?[a-z]+)*$/.test(word) ? word.toLowerCase() : word))
    .join(' ');

/** The English name of a value: its label, else what follows from the value. Of a URN, the last part counts. */
export function englishOf(value: string, labels: ValueLabels = {}): string {
  const algorithm = /^https?:.*#(.+)$/.exec(value)?.[1];
  if (algorithm) return algorithm.toUpperCase();
  const last = value.startsWith('urn:') ? value.slice(value.lastIndexOf(':') + 1) : value;
  // Names of models and apps stay as they are.
  return labels[value] ?? (last.includes('.') ? last : spellOut(last));
}
