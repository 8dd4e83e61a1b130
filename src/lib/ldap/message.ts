import {
  application,
  BerError,
  type Budget,
  ber,
  constructed,
  contentOf,
  context,
  type Element,
  encode,
  encodeInteger,
  encodeText,
  readBoolean,
  readElements,
  readInteger,
} from './ber.ts';
import { decodeUtf8 } from './dn.ts';
import { type Filter, readFilter, readName } from './filter.ts';
import { type ResultCode, resultCodes } from './result-codes.ts';

export const maxMessageLength = 65_536;
const maxElements = 2_000;

export interface Control {
  readonly oid: string;
  readonly isCritical: boolean;
  readonly value: Buffer | null;
}

export interface BindRequest {
  readonly op: 'bind';
  readonly version: number;
  readonly name: string;
  /** Null: a SASL mechanism. */
  readonly password: string | null;
}

export interface SearchRequest {
  readonly op: 'search';
  readonly base: string;
  readonly scope: 'base' | 'one' | 'subtree' | 'children';
  /** 0: as many as the server allows. */
  readonly sizeLimit: number;
  /** In seconds. */
  readonly timeLimit: number;
  readonly typesOnly: boolean;
  readonly filter: Filter;
  readonly attributes: readonly string[];
}

export interface CompareRequest {
  readonly op: 'compare';
  readonly entry: string;
  readonly attribute: string;
  readonly value: string | null;
}

export interface ExtendedRequest {
  readonly op: 'extended';
  readonly oid: string;
  readonly value: Buffer | null;
}

export type Operation =
  | BindRequest
  | SearchRequest
  | CompareRequest
  | ExtendedRequest
  | { readonly op: 'unbind' }
  | { readonly op: 'abandon'; readonly id: number }
  /** A write, which is not offered. `answer` is the tag of its response. */
  | { readonly op: 'write'; readonly answer: number };

export interface Message {
  readonly id: number;
  readonly operation: Operation;
  readonly controls: readonly Control[];
}

/** The tags of requests and responses (RFC 4511, section 4.2 and following). */
const requests = { bind: 0, unbind: 2, search: 3, abandon: 16, compare: 14, extended: 23 } as const;
export const responses = { bind: 1, entry: 4, searchDone: 5, compare: 15, extended: 24 } as const;
/** Modify, add, delete and modify DN, by the tags of their responses. */
const writes = new Map([
  [application | 6, 7],
  [application | 8, 9],
  // Not constructed: its content is the name alone.
  [0x4a, 11],
  [application | 12, 13],
]);

/** Reads a complete message. Throws a `BerError` if it is malformed. */
export function readMessage(bytes: Buffer): Message {
  const budget: Budget = { elements: maxElements };
  const [message, ...after] = readElements(bytes, budget);
  if (after.length > 0) throw new BerError('bytes follow the message');
  const [id, operation, controls, ...rest] = readElements(contentOf(message, ber.sequence), budget);
  if (rest.length > 0) throw new BerError('the message has too many parts');
  const number = readInteger(id);
  if (number < 0 || number > 0x7fffffff) throw new BerError('the message has an invalid number');
  return {
    id: number,
    operation: readOperation(operation, budget),
    controls: controls ? readControls(contentOf(controls, context | constructed), budget) : [],
  };
}

function readOperation(element: Element | undefined, budget: Budget): Operation {
  if (!element) throw new BerError('the message has no operation');
  const { tag, content } = element;
  const answer = writes.get(tag);
  if (answer !== undefined) return { op: 'write', answer };
  switch (tag) {
    case application | requests.bind:
      return readBind(readElements(content, budget));
    // Neither is constructed.
    case 0x42:
      return { op: 'unbind' };
    case 0x50:
      return { op: 'abandon', id: readInteger({ tag: ber.integer, content }) };
    case application | requests.search:
      return readSearch(readElements(content, budget), budget);
    case application | requests.compare:
      return readCompare(readElements(content, budget), budget);
    case application | requests.extended:
      return readExtended(readElements(content, budget));
    default:
      throw new BerError(`unknown operation with tag ${tag}`);
  }
}

function readBind([version, name, authentication]: readonly Element[]): BindRequest {
  const common = { op: 'bind', version: readInteger(version), name: readText(name) } as const;
  if (authentication?.tag === (context | constructed | 3)) return { ...common, password: null };
  const password = decodeUtf8(contentOf(authentication, context));
  if (password === null) throw new BerError('the password is no UTF-8');
  return { ...common, password };
}

const scopes = ['base', 'one', 'subtree', 'children'] as const;

function readSearch(parts: readonly Element[], budget: Budget): SearchRequest {
  const [base, scope, , sizeLimit, timeLimit, typesOnly, filter, attributes] = parts;
  const asked = scopes[readInteger(scope, ber.enumerated)];
  if (!asked) throw new BerError('the scope is unknown');
  return {
    op: 'search',
    base: readText(base),
    scope: asked,
    sizeLimit: readLimit(sizeLimit),
    timeLimit: readLimit(timeLimit),
    typesOnly: readBoolean(typesOnly),
    filter: readFilter(filter, budget),
    attributes: readElements(contentOf(attributes, ber.sequence), budget).map(readText),
  };
}

function readLimit(element: Element | undefined): number {
  const limit = readInteger(element);
  if (limit < 0) throw new BerError('a limit is negative');
  return limit;
}

function readCompare([entry, assertion]: readonly Element[], budget: Budget): CompareRequest {
  const [attribute, value] = readElements(contentOf(assertion, ber.sequence), budget);
  return {
    op: 'compare',
    entry: readText(entry),
    attribute: readName(contentOf(attribute, ber.octetString)),
    value: decodeUtf8(contentOf(value, ber.octetString)),
  };
}

function readExtended([oid, value]: readonly Element[]): ExtendedRequest {
  return {
    op: 'extended',
    oid: textOf(contentOf(oid, context)),
    value: value ? contentOf(value, context | 1) : null,
  };
}

function readControls(content: Buffer, budget: Budget): Control[] {
  return readElements(content, budget).map((element) => {
    const [oid, ...rest] = readElements(contentOf(element, ber.sequence), budget);
    const [first, second] = rest;
    const isCritical = first?.tag === ber.boolean ? readBoolean(first) : false;
    const value = first?.tag === ber.boolean ? second : first;
    return { oid: readText(oid), isCritical, value: value ? contentOf(value, ber.octetString) : null };
  });
}

export const readText = (element: Element | undefined): string => textOf(contentOf(element, ber.octetString));

export function textOf(content: Buffer): string {
  const text = decodeUtf8(content);
  if (text === null) throw new BerError('a text is no UTF-8');
  return text;
}

export interface Result {
  readonly code: ResultCode;
  readonly message?: string;
  readonly matched?: string;
}

export interface ResponseControl {
  readonly oid: string;
  readonly value: Buffer;
}

/** A response that ends an operation. `parts` follow the result. */
export const encodeResult = (
  id: number,
  tag: number,
  { code, message = '', matched = '' }: Result,
  controls: readonly ResponseControl[] = [],
  parts: readonly Buffer[] = [],
): Buffer =>
  encodeMessage(
    id,
    encode(
      application | tag,
      encodeInteger(resultCodes[code], ber.enumerated),
      encodeText(matched),
      encodeText(message),
      ...parts,
    ),
    controls,
  );

/** The response to an extended request, or a notice. */
export const encodeExtended = (
  id: number,
  result: Result,
  { oid, value }: { readonly oid?: string; readonly value?: string | Buffer } = {},
): Buffer =>
  encodeResult(
    id,
    responses.extended,
    result,
    [],
    [
      ...(oid === undefined ? [] : [encodeText(oid, context | 10)]),
      ...(value === undefined ? [] : [encodeText(value, context | 11)]),
    ],
  );

/** An attribute of an entry, as it is sent. */
export interface Attribute {
  readonly name: string;
  readonly values: readonly string[];
}

export const encodeEntry = (id: number, dn: string, attributes: readonly Attribute[]): Buffer =>
  encodeMessage(
    id,
    encode(
      application | responses.entry,
      encodeText(dn),
      encode(
        ber.sequence,
        ...attributes.map(({ name, values }) =>
          encode(ber.sequence, encodeText(name), encode(ber.set, ...values.map((value) => encodeText(value)))),
        ),
      ),
    ),
  );

function encodeMessage(id: number, operation: Buffer, controls: readonly ResponseControl[] = []): Buffer {
  const encoded = controls.map(({ oid, value }) => encode(ber.sequence, encodeText(oid), encodeText(value)));
  const list = encoded.length > 0 ? [encode(context | constructed, ...encoded)] : [];
  return encode(ber.sequence, encodeInteger(id), operation, ...list);
}
