export const valueTypes = ['string', 'octets', 'integer', 'ipaddr', 'ipv6addr', 'ipv6prefix', 'date'] as const;
export type ValueType = (typeof valueTypes)[number];

export interface Definition {
  readonly name: string;
  readonly code: number;
  readonly type: ValueType;
  /** The number of the vendor; null for an attribute of the standard. */
  readonly vendor: number | null;
  readonly hasTag: boolean;
  readonly isEncrypted: boolean;
  /** Numbers by the names of values in lower case. */
  readonly named: ReadonlyMap<string, number>;
}

export interface Dictionary {
  /** By name, without regard to case. */
  find(name: string): Definition | undefined;
  /** By number. */
  at(vendor: number | null, code: number): Definition | undefined;
}

export const isValueType = (text: string): text is ValueType => valueTypes.some((type) => type === text);

/** Lines of `Name code type [tag] [encrypted]` and `vendor Name number`; values as `Attribute Name number`. */
export function parseDictionary(attributes: string, values: string): Dictionary {
  const named = new Map<string, Map<string, number>>();
  for (const [attribute = '', name = '', number] of wordsOf(values)) {
    const names = named.get(attribute) ?? new Map<string, number>();
    named.set(attribute, names.set(name.toLowerCase(), Number(number)));
  }
  let vendor: number | null = null;
  const byName = new Map<string, Definition>();
  const byCode = new Map<string, Definition>();
  for (const [name = '', code = '', type = '', ...flags] of wordsOf(attributes)) {
    if (name === 'vendor') {
      // `code` is the name here.
      vendor = Number(type);
      continue;
    }
    if (!isValueType(type)) throw new Error(`${name} has no known type`);
    const definition = {
      ...{ name, code: Number(code), type, vendor, named: named.get(name) ?? new Map<string, number>() },
      ...{ hasTag: flags.includes('tag'), isEncrypted: flags.includes('encrypted') },
    };
    byName.set(name.toLowerCase(), definition);
    byCode.set(`${vendor}:${code}`, definition);
  }
  return {
    find: (name) => byName.get(name.toLowerCase()),
    at: (ofVendor, code) => byCode.get(`${ofVendor}:${code}`),
  };
}

const wordsOf = (text: string): string[][] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(' '));
