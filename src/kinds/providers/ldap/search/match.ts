import { normalizeDnText, normalizeType, normalizeValue, parseDn } from '../../../../lib/ldap/dn.ts';
import type { Filter } from '../../../../lib/ldap/filter.ts';
import { memoizeWeakly } from '../../../../lib/memoize.ts';

/** An entry of the tree. Attributes by their normalized names. */
export interface Entry {
  readonly dn: string;
  readonly attributes: ReadonlyMap<string, readonly string[]>;
}

export const dnAttributes: ReadonlySet<string> = new Set([
  ...['member', 'memberof', 'distinguishedname', 'entrydn', 'namingcontexts', 'subschemasubentry'],
]);
const numbers: ReadonlySet<string> = new Set(['uidnumber', 'gidnumber']);

const caseIgnore = ['caseignorematch', '2.5.13.2', 'caseignoreia5match', '1.3.6.1.4.1.1466.109.114.2'];
const rules = {
  caseExact: new Set(['caseexactmatch', '2.5.13.5', 'caseexactia5match', '1.3.6.1.4.1.1466.109.114.1']),
  caseIgnore: new Set(caseIgnore),
  equality: new Set([
    ...caseIgnore,
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
 * Whether an entry matches. An attribute that an entry does not have is one that it lacks, never an unknown one:
 * clients ask for attributes of other servers in negations.
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
      return compares(filter, entry);
  }
}

const valuesOf = ({ attributes }: Entry, attribute: string): readonly string[] =>
  attributes.get(normalizeType(attribute)) ?? [];

type Comparison = Extract<Filter, { is: 'equal' | 'approximate' | 'greater' | 'less' }>;

/** Once for each search, not for each entry: a filter may be as long as a message. */
const prepared = memoizeWeakly(({ attribute, value }: Pick<Comparison, 'attribute' | 'value'>) => {
  const type = normalizeType(attribute);
  return { type, wanted: value === null ? null : comparable(type, value) };
});

/** Once for each entry, not for each part of the filter. */
const comparablesOf = memoizeWeakly((_: readonly string[]) => new Map<string, readonly (string | null)[]>());

function comparableValues(type: string, values: readonly string[]): readonly (string | null)[] {
  const known = comparablesOf(values);
  const found = known.get(type) ?? values.map((one) => comparable(type, one));
  known.set(type, found);
  return found;
}

function compares(filter: Comparison, { attributes }: Entry): boolean {
  const { is } = filter;
  const { type, wanted } = prepared(filter);
  const values = attributes.get(type);
  if (wanted === null || !values) return false;
  return comparableValues(type, values).some((own) => {
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

type Substrings = Extract<Filter, { is: 'substrings' }>;

const preparedParts = memoizeWeakly(({ attribute, initial, any, final }: Substrings) => ({
  type: normalizeType(attribute),
  start: initial === null ? null : partOf(initial),
  middle: any.map(partOf),
  end: final === null ? null : partOf(final),
}));

function hasParts(filter: Substrings, { attributes }: Entry): boolean {
  const { type, start, middle, end } = preparedParts(filter);
  if (filter.isBinary || dnAttributes.has(type) || numbers.has(type)) return false;
  return (attributes.get(type) ?? []).some((value) => {
    const text = normalizeValue(value);
    if (start !== null && !text.startsWith(start)) return false;
    let at = start?.length ?? 0;
    for (const wanted of middle) {
      const found = text.indexOf(wanted, at);
      if (found < 0) return false;
      at = found + wanted.length;
    }
    return end === null || (text.length - end.length >= at && text.endsWith(end));
  });
}

/** A part of a value as it is compared: spaces at its ends count. */
export const partOf = (part: string): string =>
  part.normalize('NFKC').toLowerCase().normalize('NFKC').replaceAll(/\s+/g, ' ');

const preparedRule = memoizeWeakly(({ attribute, value }: Extract<Filter, { is: 'extensible' }>) => ({
  wanted: value === null ? null : comparable(normalizeType(attribute ?? ''), value),
}));

function matchesRule(filter: Extract<Filter, { is: 'extensible' }>, entry: Entry): boolean {
  const { attribute, rule, value, dnAttributes: isInDn } = filter;
  if (value === null) return false;
  const name = rule?.toLowerCase() ?? '';
  const type = normalizeType(attribute ?? '');
  const isAny = attribute === null;
  // Without an attribute, all of those that the rule applies to are meant.
  if (isAny && !rules.caseExact.has(name) && !rules.caseIgnore.has(name)) return false;
  const values = isAny ? textsOf(entry) : valuesOf(entry, type);
  const inDn = isInDn ? dnPartsOf(entry).filter((part) => isAny || part.type === type) : [];
  const all = inDn.length > 0 ? [...values, ...inDn.map((part) => part.value)] : values;
  if (rules.caseExact.has(name)) return all.includes(value);
  if (rules.bitAnd.has(name) || rules.bitOr.has(name)) {
    if (!/^\d{1,10}$/.test(value)) return false;
    const bits = BigInt(value);
    return all.some((one) => {
      if (!/^\d{1,10}$/.test(one)) return false;
      const common = BigInt(one) & bits;
      return rules.bitAnd.has(name) ? common === bits : common !== 0n;
    });
  }
  if (rule !== null && !rules.equality.has(name)) return false;
  const { wanted } = preparedRule(filter);
  if (wanted === null) return false;
  return comparableValues(type, values).includes(wanted) || inDn.some((part) => part.compared === wanted);
}

const textsOf = memoizeWeakly(({ attributes }: Entry): readonly string[] =>
  [...attributes].flatMap(([type, values]) => (dnAttributes.has(type) || numbers.has(type) ? [] : values)),
);

const dnPartsOf = memoizeWeakly(({ dn }: Entry) =>
  (parseDn(dn) ?? []).flat().map((part) => {
    const type = normalizeType(part.type);
    return { type, value: part.value, compared: comparable(type, part.value) };
  }),
);
