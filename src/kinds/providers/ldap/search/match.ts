import { normalizeDnText, normalizeType, normalizeValue, parseDn } from '../../../../lib/ldap/dn.ts';
import type { Filter } from '../../../../lib/ldap/filter.ts';

/** An entry of the tree. Attributes by their normalized names. */
export interface Entry {
  readonly dn: string;
  readonly attributes: ReadonlyMap<string, readonly string[]>;
}

export const dnAttributes: ReadonlySet<string> = new Set([
  ...['member', 'memberof', 'distinguishedname', 'entrydn', 'namingcontexts', 'subschemasubentry'],
]);
const numbers: ReadonlySet<string> = new Set(['uidnumber', 'gidnumber']);

const rules = {
  caseExact: new Set(['caseexactmatch', '2.5.13.5', 'caseexactia5match', '1.3.6.1.4.1.1466.109.114.1']),
  equality: new Set([
    ...['caseignorematch', '2.5.13.2', 'caseignoreia5match', '1.3.6.1.4.1.1466.109.114.2'],
    ...['distinguishednamematch', '2.5.13.1', 'integermatch', '2.5.13.14', 'objectidentifiermatch', '2.5.13.0'],
    // Membership in chains: memberships through groups below count anyway.
    '1.2.840.113556.1.4.1941',
  ]),
  bitAnd: new Set(['1.2.840.113556.1.4.803']),
  bitOr: new Set(['1.2.840.113556.1.4.804']),
};

/** The form of a value of an attribute in which equal values are equal texts; null if the value is malformed. */
export function comparable(type: string, value: string): string | null {
  if (dnAttributes.has(type)) return normalizeDnText(value);
  if (!numbers.has(type)) return normalizeValue(value);
  return /^-?\d{1,15}$/.test(value.trim()) ? String(Number(value)) : null;
}

/** What the database has decided about a part of a filter; undefined if it has not. */
export type Decided = (part: Filter) => boolean | undefined;

/**
 * Whether an entry matches. An attribute that an entry does not have is one that it lacks, never an unknown one: clients ask for attributes of
 * other servers in negations.
 */
export function matches(filter: Filter, entry: Entry, decided: Decided = () => undefined): boolean {
  const known = decided(filter);
  if (known !== undefined) return known;
  switch (filter.is) {
    case 'and':
      return filter.of.every((part) => matches(part, entry, decided));
    case 'or':
      return filter.of.some((part) => matches(part, entry, decided));
    case 'not':
      return !matches(filter.of, entry, decided);
    case 'present':
      return valuesOf(entry, filter.attribute).length > 0;
    case 'substrings':
      return hasParts(filter, entry);
    case 'extensible':
      return matchesRule(filter, entry);
    default:
      return compares(filter.is, entry, filter.attribute, filter.value);
  }
}

const valuesOf = ({ attributes }: Entry, attribute: string): readonly string[] =>
  attributes.get(normalizeType(attribute)) ?? [];

function compares(
  is: 'equal' | 'approximate' | 'greater' | 'less',
  entry: Entry,
  attribute: string,
  value: string | null,
): boolean {
  const type = normalizeType(attribute);
  const wanted = value === null ? null : comparable(type, value);
  if (wanted === null) return false;
  return valuesOf(entry, type).some((one) => {
    const own = comparable(type, one);
    if (own === null) return false;
    if (is === 'equal' || is === 'approximate') return own === wanted;
    const order = orderOf(type, own, wanted);
    return is === 'greater' ? order >= 0 : order <= 0;
  });
}

/** The order of two comparable values. */
export function orderOf(type: string, one: string, other: string): number {
  if (numbers.has(type)) return Number(one) - Number(other);
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function hasParts(
  { attribute, initial, any, final, isBinary }: Extract<Filter, { is: 'substrings' }>,
  entry: Entry,
): boolean {
  const type = normalizeType(attribute);
  if (isBinary || dnAttributes.has(type) || numbers.has(type)) return false;
  return valuesOf(entry, type).some((value) => {
    const text = normalizeValue(value);
    let at = 0;
    if (initial !== null) {
      const start = partOf(initial);
      if (!text.startsWith(start)) return false;
      at = start.length;
    }
    for (const part of any) {
      const wanted = partOf(part);
      const found = text.indexOf(wanted, at);
      if (found < 0) return false;
      at = found + wanted.length;
    }
    if (final === null) return true;
    const end = partOf(final);
    return text.length - end.length >= at && text.endsWith(end);
  });
}

/** A part of a value as it is compared: spaces at its ends count. */
export const partOf = (part: string): string =>
  part.normalize('NFKC').toLowerCase().normalize('NFKC').replaceAll(/\s+/g, ' ');

function matchesRule(
  { attribute, rule, value, dnAttributes: isInDn }: Extract<Filter, { is: 'extensible' }>,
  entry: Entry,
): boolean {
  // Without an attribute, all of those that the rule applies to would be meant.
  if (attribute === null || value === null) return false;
  const type = normalizeType(attribute);
  const name = rule?.toLowerCase() ?? '';
  const values = isInDn ? [...valuesOf(entry, type), ...valuesInDn(entry.dn, type)] : valuesOf(entry, type);
  if (rules.caseExact.has(name)) return values.includes(value);
  if (rules.bitAnd.has(name) || rules.bitOr.has(name)) {
    if (!/^\d{1,10}$/.test(value)) return false;
    const bits = BigInt(value);
    return values.some((one) => {
      if (!/^\d{1,10}$/.test(one)) return false;
      const common = BigInt(one) & bits;
      return rules.bitAnd.has(name) ? common === bits : common !== 0n;
    });
  }
  if (rule !== null && !rules.equality.has(name)) return false;
  const wanted = comparable(type, value);
  return wanted !== null && values.some((one) => comparable(type, one) === wanted);
}

const valuesInDn = (dn: string, type: string): string[] =>
  (parseDn(dn) ?? [])
    .flat()
    .filter((part) => normalizeType(part.type) === type)
    .map((part) => part.value);
