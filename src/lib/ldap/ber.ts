/** The encoding is malformed or exceeds a limit. */
export class BerError extends Error {
  override readonly name = 'BerError';
}

/** One element: its tag, and its content as a view of the received bytes. */
export interface Element {
  readonly tag: number;
  readonly content: Buffer;
}

/** How many elements may still be read of one message. */
export interface Budget {
  elements: number;
}

/** The tags of universal types. */
export const ber = {
  boolean: 0x01,
  integer: 0x02,
  octetString: 0x04,
  enumerated: 0x0a,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Class and form bits of tags. */
export const application = 0x60;
export const context = 0x80;
export const constructed = 0x20;

interface Header {
  readonly tag: number;
  readonly start: number;
  readonly end: number;
}

/** Null if the header is incomplete. LDAP allows only definite lengths and single-byte tags (RFC 4511, section 5.1). */
function readHeader(bytes: Buffer, at: number): Header | null {
  const tag = bytes[at];
  const first = bytes[at + 1];
  if (tag === undefined || first === undefined) return null;
  if ((tag & 0x1f) === 0x1f) throw new BerError('tags of several bytes are not allowed');
  if (first < 0x80) return { tag, start: at + 2, end: at + 2 + first };
  const count = first & 0x7f;
  if (count === 0) throw new BerError('indefinite lengths are not allowed');
  if (count > 4) throw new BerError('the length has too many bytes');
  if (bytes.length < at + 2 + count) return null;
  const start = at + 2 + count;
  return { tag, start, end: start + bytes.readUIntBE(at + 2, count) };
}

/** The length of the element that the bytes begin with; null if too few have arrived to tell. Allocates nothing. */
export function elementLength(bytes: Buffer, max: number): number | null {
  const header = readHeader(bytes, 0);
  if (!header) return null;
  if (header.end > max) throw new BerError('the message is too long');
  return header.end;
}

/** The elements that the content consists of. */
export function readElements(content: Buffer, budget: Budget): Element[] {
  const elements: Element[] = [];
  let at = 0;
  while (at < content.length) {
    if (--budget.elements < 0) throw new BerError('the message has too many elements');
    const header = readHeader(content, at);
    if (!header || header.end > content.length) throw new BerError('an element exceeds what it is part of');
    elements.push({ tag: header.tag, content: content.subarray(header.start, header.end) });
    at = header.end;
  }
  return elements;
}

export function contentOf(element: Element | undefined, tag: number): Buffer {
  if (element?.tag !== tag) throw new BerError(`expected an element with tag ${tag}`);
  return element.content;
}

export function readInteger(element: Element | undefined, tag: number = ber.integer): number {
  const content = contentOf(element, tag);
  if (content.length === 0 || content.length > 5) throw new BerError('the integer has an invalid length');
  return content.readIntBE(0, content.length);
}

export function readBoolean(element: Element | undefined, tag: number = ber.boolean): boolean {
  const content = contentOf(element, tag);
  if (content.length !== 1) throw new BerError('the boolean has an invalid length');
  return content[0] !== 0;
}

/** A complete element. */
export function encode(tag: number, ...parts: readonly Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([headerOf(tag, length), ...parts]);
}

function headerOf(tag: number, length: number): Buffer {
  if (length < 0x80) return Buffer.from([tag, length]);
  const count = Math.ceil((32 - Math.clz32(length)) / 8);
  const header = Buffer.alloc(2 + count);
  header[0] = tag;
  header[1] = 0x80 | count;
  header.writeUIntBE(length, 2, count);
  return header;
}

export const encodeText = (text: string | Buffer, tag: number = ber.octetString): Buffer =>
  encode(tag, typeof text === 'string' ? Buffer.from(text) : text);

export function encodeInteger(value: number, tag: number = ber.integer): Buffer {
  const bytes = Buffer.alloc(5);
  bytes.writeIntBE(value, 0, 5);
  let at = 0;
  // The shortest form: without bytes that only repeat the sign.
  while (at < 4 && bytes[at] === (bytes.readInt8(at + 1) < 0 ? 0xff : 0)) at++;
  return encode(tag, bytes.subarray(at));
}

export const encodeBoolean = (value: boolean, tag: number = ber.boolean): Buffer =>
  encode(tag, Buffer.from([value ? 0xff : 0]));
