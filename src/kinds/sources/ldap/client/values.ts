import type { SearchEntry } from 'ldapts';
import type { Json } from '../../../../lib/json.ts';

/** An entry as mappings see it: lists of text by attribute, in the server's spelling of its name. */
export interface DirectoryEntry {
  readonly dn: string;
  readonly attributes: Readonly<Record<string, readonly string[]>>;
}

/** Never read: only the directory needs them. */
const secretNames = new Set(
  [
    ...['userPassword', 'unicodePwd', 'authPassword', 'shadowPassword', 'sambaNTPassword', 'sambaLMPassword'],
    ...['ntPwdHistory', 'lmPwdHistory', 'pwdHistory', 'sambaPasswordHistory', 'supplementalCredentials', 'ipaNTHash'],
    ...['krbPrincipalKey', 'krbExtraData', 'krbMKey', 'ms-Mcs-AdmPwd', 'msDS-ManagedPassword'],
  ].map((name) => name.toLowerCase()),
);
const isSecret = (type: string): boolean => secretNames.has(type.toLowerCase()) || /^msLAPS-/i.test(type);
/** Photos and certificates: more than this is left out. */
const maxValueBytes = 8_192;

export function readEntry({ name, attributes }: SearchEntry): DirectoryEntry {
  const read: Record<string, readonly string[]> = Object.create(null);
  for (const attribute of attributes) {
    const type = attribute.type.replace(/;binary$/i, '');
    if (isSecret(type)) continue;
    const values = attribute.parsedBuffers.filter(({ length }) => length <= maxValueBytes);
    read[type] = values.map((value) => textOf(type, value));
  }
  return { dn: name, attributes: read };
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The usual text of identifiers that Active Directory stores as bytes; base64 of all other binary values. */
function textOf(type: string, bytes: Buffer): string {
  if (/^objectSid$/i.test(type) && !bytes.toString('latin1').startsWith('S-'))
    return sidOf(bytes) ?? bytes.toString('base64');
  if (/^objectGUID$/i.test(type) && bytes.length === 16) return guidOf(bytes);
  try {
    const text = utf8.decode(bytes);
    return text.includes('\0') ? bytes.toString('base64') : text;
  } catch {
    return bytes.toString('base64');
  }
}

/** [MS-DTYP], section 2.4.2.2 */
function sidOf(bytes: Buffer): string | null {
  const count = bytes[1] ?? 0;
  if (bytes[0] !== 1 || bytes.length !== 8 + count * 4) return null;
  const parts = Array.from({ length: count }, (_, index) => bytes.readUInt32LE(8 + index * 4));
  return ['S-1', bytes.readUIntBE(2, 6), ...parts].join('-');
}

/** The first three parts are little-endian. */
function guidOf(bytes: Buffer): string {
  const hex = guidOrder.map((at) => (bytes[at] ?? 0).toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

const guidOrder = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];

/** The bytes by which an entry is found again: the reverse of `textOf`. */
export function identifierBytes(attribute: string, identifier: string): Buffer | string {
  if (!/^objectGUID$/i.test(attribute)) return identifier;
  const hex = Buffer.from(identifier.replaceAll('-', ''), 'hex');
  return hex.length === 16 ? Buffer.from(guidOrder.map((at) => hex[at] ?? 0)) : identifier;
}

/** The values of an attribute: names of attributes have no case. */
export function valuesOf({ attributes }: DirectoryEntry, name: string): readonly string[] {
  const exact = attributes[name];
  if (exact) return exact;
  const small = name.toLowerCase();
  const found = Object.entries(attributes).find(([type]) => type.toLowerCase() === small);
  return found?.[1] ?? [];
}

export const asJson = (entry: DirectoryEntry): Record<string, Json> => ({ ...entry.attributes });
