import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  application,
  BerError,
  ber,
  constructed,
  context,
  elementLength,
  encode,
  encodeBoolean,
  encodeInteger,
  encodeText,
  readElements,
  readInteger,
} from './ber.ts';
import { maxFilterDepth } from './filter.ts';
import { encodeEntry, encodeResult, maxMessageLength, readMessage } from './message.ts';

const seed = 20_261_119;
const none = Buffer.alloc(0);

const message = (operation: Buffer, ...rest: Buffer[]) => encode(ber.sequence, encodeInteger(7), operation, ...rest);

const search = (filter: Buffer, attributes: readonly string[] = []) =>
  message(
    encode(
      application | 3,
      encodeText('dc=example,dc=com'),
      encodeInteger(2, ber.enumerated),
      encodeInteger(0, ber.enumerated),
      encodeInteger(100),
      encodeInteger(30),
      encodeBoolean(false),
      filter,
      encode(ber.sequence, ...attributes.map((name) => encodeText(name))),
    ),
  );

const equality = encode(context | constructed | 3, encodeText('uid'), encodeText('ada'));
const nested = (depth: number): Buffer =>
  depth === 1 ? equality : encode(context | constructed | 2, nested(depth - 1));

const filterOf = (filter: Buffer) => {
  const { operation } = readMessage(search(filter));
  return operation.op === 'search' ? operation.filter : null;
};

describe('BER', () => {
  it.each([0, 1, 127, 128, 255, 256, 65_535, 65_536, 0x7fffffff, -1, -128, -129, -65_536])('integer %d', (value) => {
    const bytes = encodeInteger(value);
    expect(readInteger(readElements(bytes, { elements: 1 })[0])).toBe(value);
    // The shortest form: the first nine bits differ.
    if (bytes.length > 3) expect([0x000, 0x1ff]).not.toContain(bytes.readUInt16BE(2) >> 7);
  });

  it.each([0, 127, 128, 255, 256, 65_536])('a text of %d bytes', (length) => {
    const bytes = encodeText('x'.repeat(length));
    expect(elementLength(bytes, 100_000)).toBe(bytes.length);
    expect(readElements(bytes, { elements: 1 })[0]?.content.length).toBe(length);
  });

  it('tells the length as soon as the header is there', () => {
    const bytes = encodeText('x'.repeat(300));
    expect(elementLength(bytes.subarray(0, 3), 1_000)).toBeNull();
    expect(elementLength(bytes.subarray(0, 4), 1_000)).toBe(304);
  });

  it.each([
    ['a length beyond the limit', '3084ffffffff'],
    ['an indefinite length', '3080'],
    ['a length of more bytes than any', '3085ffffffffff'],
    ['a tag of several bytes', '3f0100'],
  ])('%s is refused by the header alone', (_, hex) => {
    expect(() => elementLength(Buffer.from(hex, 'hex'), maxMessageLength)).toThrow(BerError);
  });

  it('an element that is longer than its whole is refused', () => {
    expect(() => readElements(Buffer.from('0405414243', 'hex'), { elements: 9 })).toThrow(BerError);
  });

  it('more elements than allowed are refused', () => {
    const many = Buffer.concat(Array.from({ length: 11 }, () => encodeText('')));
    expect(() => readElements(many, { elements: 10 })).toThrow('too many elements');
    expect(readElements(many, { elements: 11 })).toHaveLength(11);
  });
});

describe('messages', () => {
  it('a simple bind', () => {
    const bind = encode(application, encodeInteger(3), encodeText('cn=ada'), encodeText('pässword', context));
    expect(readMessage(message(bind))).toEqual({
      id: 7,
      operation: { op: 'bind', version: 3, name: 'cn=ada', password: 'pässword' },
      controls: [],
    });
  });

  it('a SASL bind has no password', () => {
    const sasl = encode(context | constructed | 3, encodeText('EXTERNAL'));
    const bind = encode(application, encodeInteger(3), encodeText(''), sasl);
    expect(readMessage(message(bind)).operation).toMatchObject({ op: 'bind', password: null });
  });

  it('a search with all kinds of filters', () => {
    const filter = encode(
      context | constructed | 0,
      equality,
      encode(context | constructed | 1, encodeText('mail', context | 7)),
      encode(
        context | constructed | 4,
        encodeText('cn'),
        encode(ber.sequence, encodeText('a', context), encodeText('b', context | 1), encodeText('c', context | 2)),
      ),
      encode(
        context | constructed | 9,
        encodeText('caseExactMatch', context | 1),
        encodeText('cn', context | 2),
        encodeText('Ada', context | 3),
        encodeBoolean(true, context | 4),
      ),
      encode(context | constructed | 5, encodeText('uidNumber'), encodeText('5')),
      nested(2),
    );
    expect(readMessage(search(filter, ['cn', '+'])).operation).toEqual({
      op: 'search',
      base: 'dc=example,dc=com',
      scope: 'subtree',
      sizeLimit: 100,
      timeLimit: 30,
      typesOnly: false,
      attributes: ['cn', '+'],
      filter: {
        is: 'and',
        of: [
          { is: 'equal', attribute: 'uid', value: 'ada' },
          { is: 'or', of: [{ is: 'present', attribute: 'mail' }] },
          { is: 'substrings', attribute: 'cn', initial: 'a', any: ['b'], final: 'c', isBinary: false },
          { is: 'extensible', attribute: 'cn', rule: 'caseExactMatch', value: 'Ada', dnAttributes: true },
          { is: 'greater', attribute: 'uidNumber', value: '5' },
          { is: 'not', of: { is: 'equal', attribute: 'uid', value: 'ada' } },
        ],
      },
    });
  });

  it('a value that is no UTF-8 matches nothing', () => {
    const binary = encode(context | constructed | 3, encodeText('cn'), encodeText(Buffer.from([0xff])));
    expect(filterOf(binary)).toEqual({ is: 'equal', attribute: 'cn', value: null });
  });

  it('a filter that is nested too deeply is refused', () => {
    expect(filterOf(nested(maxFilterDepth))).not.toBeNull();
    expect(() => filterOf(nested(maxFilterDepth + 1))).toThrow('nested too deeply');
  });

  it.each([
    ['no operation', encode(ber.sequence, encodeInteger(1))],
    ['an unknown operation', message(encodeText('', 0x6a))],
    ['a negative number', encode(ber.sequence, encodeInteger(-1), encodeText('', 0x42))],
    ['bytes behind it', Buffer.concat([message(encodeText('', 0x42)), Buffer.from([5, 0])])],
    ['a search without a filter', search(none)],
    ['a comparison without a value', search(encode(context | constructed | 3, encodeText('cn')))],
    [
      'parts out of order',
      search(encode(0xa4, encodeText('cn'), encode(0x30, encodeText('c', 0x82), encodeText('a', 0x80)))),
    ],
    ['an attribute with a strange name', search(encodeText('c*n', context | 7))],
    ['text for a number', message(encode(application, encodeText('3'), encodeText(''), encodeText('', context)))],
    ['a name that is no UTF-8', message(encode(application, encodeInteger(3), encodeText(Buffer.from([0xc3]))))],
  ])('a message with %s is refused', (_, bytes) => {
    expect(() => readMessage(bytes)).toThrow(BerError);
  });

  it('controls, with and without criticality and value', () => {
    const list = encode(
      context | constructed,
      encode(ber.sequence, encodeText('1.2'), encodeBoolean(true), encodeText('v')),
      encode(ber.sequence, encodeText('1.3'), encodeText('w')),
      encode(ber.sequence, encodeText('1.4')),
    );
    expect(readMessage(message(encodeText('', 0x42), list)).controls).toEqual([
      { oid: '1.2', isCritical: true, value: Buffer.from('v') },
      { oid: '1.3', isCritical: false, value: Buffer.from('w') },
      { oid: '1.4', isCritical: false, value: null },
    ]);
  });

  it('results and entries', () => {
    // The example of a bind response in RFC 4511 has these bytes.
    expect(encodeResult(1, 1, { code: 'success' }).toString('hex')).toBe('300c02010161070a010004000400');
    expect(encodeEntry(2, 'cn=a', [{ name: 'cn', values: ['a'] }]).toString('hex')).toBe(
      '301802010264130404636e3d61300b30090402636e3103040161',
    );
  });
});

const whole = search(encode(context | constructed | 0, equality, nested(3)), ['cn', 'mail']);

test('whatever arrives is read or refused, and nothing else happens', () => {
  const attempt = (bytes: Buffer) => {
    try {
      const length = elementLength(bytes, maxMessageLength);
      if (length !== null && length <= bytes.length) readMessage(bytes.subarray(0, length));
    } catch (error) {
      if (!(error instanceof BerError)) throw error;
    }
  };
  const noise = fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes));
  const damaged = fc
    .array(fc.tuple(fc.nat(whole.length - 1), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 6 })
    .map((changes) => {
      const bytes = Buffer.from(whole);
      for (const [at, value] of changes) bytes[at] = value;
      return bytes;
    });
  fc.assert(fc.property(fc.oneof(noise, damaged), attempt), { seed, numRuns: 20_000 });
});
