/** One `type=value` of a relative distinguished name, decoded. */
export interface AttributeValueAssertion {
  /** As written: a descriptor or an OID. */
  readonly type: string;
  readonly value: string;
  /** The value is given as the hexadecimal BER encoding of something that is no string. */
  readonly isEncoded?: true;
}

export type Rdn = readonly AttributeValueAssertion[];
/** From the entry to the root; empty for the root itself. */
export type Dn = readonly Rdn[];

const maxLength = 8_192;
const maxRdns = 128;

const descriptor = /^(?:[A-Za-z][A-Za-z0-9-]*|(?:0|[1-9][0-9]*)(?:\.(?:0|[1-9][0-9]*))+)$/;
const hexPair = /^[0-9A-Fa-f]{2}$/;
const escapable = ' "#+,;<=>\\';

/**
 * Parses a distinguished name (RFC 4514); null if it is malformed. Spaces around separators are accepted, as RFC 2253
 * requires. Runs in linear time.
 */
export function parseDn(text: string): Dn | null {
  if (text.length > maxLength) return null;
  if (text.trim() === '') return [];
  const rdns: Rdn[] = [];
  let rdn: AttributeValueAssertion[] = [];
  let at = 0;
  while (true) {
    const equals = text.indexOf('=', at);
    if (equals < 0) return null;
    const type = text.slice(at, equals).trim();
    if (!descriptor.test(type)) return null;
    const read = readValue(text, equals + 1);
    if (!read) return null;
    rdn.push({ type, ...read.value });
    const separator = text[read.end];
    if (separator !== '+') {
      rdns.push(rdn);
      if (rdns.length > maxRdns) return null;
      if (separator === undefined) return rdns;
      rdn = [];
    }
    at = read.end + 1;
  }
}

interface ReadValue {
  readonly value: { readonly value: string; readonly isEncoded?: true };
  /** The position of the separator, or the end of the text. */
  readonly end: number;
}

function readValue(text: string, start: number): ReadValue | null {
  let at = start;
  while (text[at] === ' ') at++;
  if (text[at] === '#') return readEncoded(text, at + 1);
  const bytes: number[] = [];
  let value = '';
  /** Unescaped spaces, which count only if something follows. */
  let spaces = '';
  const flush = (): boolean => {
    if (bytes.length === 0) return true;
    const decoded = decodeUtf8(Uint8Array.from(bytes.splice(0)));
    if (decoded === null) return false;
    value += decoded;
    return true;
  };
  for (; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === ',' || char === '+') break;
    if (char === '\\') {
      const pair = text.slice(at + 1, at + 3);
      const escaped = text[at + 1];
      if (spaces !== '' && !flush()) return null;
      value += spaces;
      spaces = '';
      if (hexPair.test(pair)) {
        bytes.push(Number.parseInt(pair, 16));
        at += 2;
      } else if (escaped !== undefined && escapable.includes(escaped)) {
        if (!flush()) return null;
        value += escaped;
        at++;
      } else return null;
      continue;
    }
    if (char === '"' || char === ';' || char === '<' || char === '>' || char === '\0') return null;
    if (!flush()) return null;
    if (char === ' ') spaces += char;
    else {
      value += spaces + char;
      spaces = '';
    }
  }
  return flush() ? { value: { value }, end: at } : null;
}

/** `#` and the BER encoding of the value. Strings are decoded, so that both spellings of a name are equal. */
function readEncoded(text: string, start: number): ReadValue | null {
  let end = start;
  while (end < text.length && text[end] !== ',' && text[end] !== '+') end++;
  const digits = text.slice(start, end).trimEnd();
  if (digits === '' || digits.length % 2 !== 0 || /[^0-9A-Fa-f]/.test(digits)) return null;
  const bytes = Buffer.from(digits, 'hex');
  const [tag, length] = bytes;
  const isString = tag === 0x04 || tag === 0x0c || tag === 0x13 || tag === 0x16;
  const decoded =
    isString && length !== undefined && length < 0x80 && length === bytes.length - 2
      ? decodeUtf8(bytes.subarray(2))
      : null;
  return decoded === null
    ? { value: { value: digits.toLowerCase(), isEncoded: true }, end }
    : { value: { value: decoded }, end };
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Null if the bytes are not well-formed UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

/** Escapes a value for use in a DN (RFC 4514, section 2.4). */
export const escapeDnValue = (value: string): string => (plainValue.test(value) ? value : escapeSpecial(value));

/** Most values; the rest takes several passes. */
const plainValue = /^[\w.@-]+$/;

const escapeSpecial = (value: string): string =>
  value
    .replaceAll(/["+,;<>\\=]/g, '\\$&')
    .replaceAll('\0', '\\00')
    .replace(/^[ #]/, '\\$&')
    .replace(/(?<=[^\\]|\\\\) $/, '\\ ');

const formatAssertion = ({ type, value, isEncoded }: AttributeValueAssertion): string =>
  `${type}=${isEncoded ? `#${value}` : escapeDnValue(value)}`;

export const formatDn = (dn: Dn): string => dn.map((rdn) => rdn.map(formatAssertion).join('+')).join(',');

/** Short names of the types in RFC 4514 and of those that Active Directory uses. */
const shortNames = new Map(
  Object.entries({
    commonname: 'cn',
    '2.5.4.3': 'cn',
    surname: 'sn',
    '2.5.4.4': 'sn',
    localityname: 'l',
    '2.5.4.7': 'l',
    stateorprovincename: 'st',
    '2.5.4.8': 'st',
    organizationname: 'o',
    '2.5.4.10': 'o',
    organizationalunitname: 'ou',
    '2.5.4.11': 'ou',
    countryname: 'c',
    '2.5.4.6': 'c',
    streetaddress: 'street',
    '2.5.4.9': 'street',
    domaincomponent: 'dc',
    '0.9.2342.19200300.100.1.25': 'dc',
    userid: 'uid',
    '0.9.2342.19200300.100.1.1': 'uid',
  }),
);

/** The name by which an attribute type is compared. */
export const normalizeType = (type: string): string => shortNames.get(type.toLowerCase()) ?? type.toLowerCase();

/**
 * Prepares a value for case-insensitive comparison (RFC 4518): compatibility characters, case and runs of spaces do not
 * count.
 */
export const normalizeValue = (value: string): string =>
  plainValue.test(value)
    ? value.toLowerCase()
    : value.normalize('NFKC').toLowerCase().normalize('NFKC').trim().replaceAll(/\s+/g, ' ');

const normalizeAssertion = ({ type, value, isEncoded }: AttributeValueAssertion): AttributeValueAssertion =>
  isEncoded
    ? { type: normalizeType(type), value, isEncoded }
    : { type: normalizeType(type), value: normalizeValue(value) };

/** One relative name as it is compared: the order of its parts does not count. */
export const normalizeRdn = (rdn: Rdn): string =>
  rdn
    .map((assertion) => formatAssertion(normalizeAssertion(assertion)))
    .sort()
    .join('+');

/** The spelling under which equal names are equal texts. */
export const normalizeDn = (dn: Dn): string => dn.map(normalizeRdn).join(',');

/** The normalized spelling of a name as text; null if it is malformed. */
export function normalizeDnText(text: string): string | null {
  const dn = parseDn(text);
  return dn && normalizeDn(dn);
}

export const isSameDn = (one: Dn, other: Dn): boolean => one.length === other.length && isAtOrBelow(one, other);

/** Whether a name is the base or below it. */
export function isAtOrBelow(dn: Dn, base: Dn): boolean {
  const above = dn.slice(dn.length - base.length);
  return dn.length >= base.length && normalizeDn(above) === normalizeDn(base);
}
