import {
  BerError,
  type Budget,
  constructed,
  contentOf,
  context,
  type Element,
  readBoolean,
  readElements,
} from './ber.ts';
import { decodeUtf8 } from './dn.ts';

/** A search filter (RFC 4511, section 4.5.1.7). Values are text: a value that is no UTF-8 matches nothing (null). */
export type Filter =
  | { readonly is: 'and' | 'or'; readonly of: readonly Filter[] }
  | { readonly is: 'not'; readonly of: Filter }
  | { readonly is: 'present'; readonly attribute: string }
  | {
      readonly is: 'equal' | 'greater' | 'less' | 'approximate';
      readonly attribute: string;
      readonly value: string | null;
    }
  | {
      readonly is: 'substrings';
      readonly attribute: string;
      readonly initial: string | null;
      readonly any: readonly string[];
      readonly final: string | null;
      /** Whether a part is no UTF-8. */
      readonly isBinary: boolean;
    }
  | {
      readonly is: 'extensible';
      /** Null: the rule alone decides which attributes are meant. */
      readonly attribute: string | null;
      readonly rule: string | null;
      readonly value: string | null;
      readonly dnAttributes: boolean;
    };

/** Deeper filters are refused. */
export const maxFilterDepth = 20;

const choice = (number: number) => context | number;
const set = (number: number) => context | constructed | number;

const comparisons = new Map<number, 'equal' | 'greater' | 'less' | 'approximate'>([
  [set(3), 'equal'],
  [set(5), 'greater'],
  [set(6), 'less'],
  [set(8), 'approximate'],
]);

export function readFilter(element: Element | undefined, budget: Budget, depth = 1): Filter {
  if (!element) throw new BerError('the filter is missing');
  if (depth > maxFilterDepth) throw new BerError('the filter is nested too deeply');
  const { tag, content } = element;
  if (tag === set(0) || tag === set(1)) {
    const of = readElements(content, budget).map((part) => readFilter(part, budget, depth + 1));
    return { is: tag === set(0) ? 'and' : 'or', of };
  }
  if (tag === set(2)) {
    const [part, ...rest] = readElements(content, budget);
    if (rest.length > 0) throw new BerError('a negation takes one filter');
    return { is: 'not', of: readFilter(part, budget, depth + 1) };
  }
  if (tag === choice(7)) return { is: 'present', attribute: readName(content) };
  if (tag === set(4)) return readSubstrings(content, budget);
  if (tag === set(9)) return readExtensible(content, budget);
  const is = comparisons.get(tag);
  if (!is) throw new BerError(`unknown filter with tag ${tag}`);
  const [attribute, value, ...rest] = readElements(content, budget);
  if (rest.length > 0) throw new BerError('a comparison takes an attribute and a value');
  return { is, attribute: readName(contentOf(attribute, 0x04)), value: decodeUtf8(contentOf(value, 0x04)) };
}

/** An attribute description: a name or an OID, and options. */
export function readName(content: Buffer): string {
  const name = content.toString('latin1');
  if (name.length > 256 || !/^[A-Za-z0-9.;_/-]+$/.test(name)) throw new BerError('an attribute has an invalid name');
  return name;
}

function readSubstrings(content: Buffer, budget: Budget): Filter {
  const [attribute, list] = readElements(content, budget);
  const parts = readElements(contentOf(list, 0x30), budget);
  if (parts.length === 0) throw new BerError('a filter for parts of a value needs one');
  let initial: string | null = null;
  let final: string | null = null;
  let isBinary = false;
  const any: string[] = [];
  parts.forEach(({ tag, content: bytes }, index) => {
    const text = decodeUtf8(bytes);
    if (text === null) isBinary = true;
    if (tag === choice(0) && index === 0) initial = text;
    else if (tag === choice(1)) any.push(text ?? '');
    else if (tag === choice(2) && index === parts.length - 1) final = text;
    else throw new BerError('the parts of a value are out of order');
  });
  return { is: 'substrings', attribute: readName(contentOf(attribute, 0x04)), initial, any, final, isBinary };
}

function readExtensible(content: Buffer, budget: Budget): Filter {
  let rule: string | null = null;
  let attribute: string | null = null;
  let value: string | null | undefined;
  let dnAttributes = false;
  for (const part of readElements(content, budget)) {
    if (part.tag === choice(1)) rule = readName(part.content);
    else if (part.tag === choice(2)) attribute = readName(part.content);
    else if (part.tag === choice(3)) value = decodeUtf8(part.content);
    else if (part.tag === choice(4)) dnAttributes = readBoolean(part, choice(4));
    else throw new BerError('a matching rule has an unknown part');
  }
  if (value === undefined || (rule === null && attribute === null)) throw new BerError('a matching rule is incomplete');
  return { is: 'extensible', attribute, rule, value, dnAttributes };
}
