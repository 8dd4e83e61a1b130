import { expect, test } from 'vitest';
import { writeDer, writeObjectId, writeUnsigned } from './der.fixture.ts';
import { readDer, readObjectId } from './der.ts';

test.each([0, 1, 127, 128, 255, 256, 65_535, 65_536, 20_000_000])(
  'a value of %d bytes is written and read',
  (length) => {
    const content = new Uint8Array(length).fill(7);
    const values = readDer(Buffer.concat([writeDer(0x04, content), writeDer(0x05)]));
    expect(values.map(({ tag }) => tag)).toEqual([0x04, 0x05]);
    expect(values[0]?.content.length).toBe(length);
    expect(values[0]?.whole.length).toBe(writeDer(0x04, content).length);
  },
);

test.each(['0.0', '1.39.5', '2.5.4.3', '2.999.1', '1.2.840.113549.1.1.11', '0.9.2342.19200300.100.1.25'])(
  'the object id %s is written and read',
  (dotted) => {
    expect(readObjectId(readDer(writeObjectId(dotted))[0]?.content ?? new Uint8Array())).toBe(dotted);
  },
);

test.each([
  ['00', '020100'],
  ['0000', '020100'],
  ['007f', '02017f'],
  ['80', '02020080'],
  ['ff01', '020300ff01'],
])('the number %s is written as %s', (hex, expected) => {
  expect(Buffer.from(writeUnsigned(Buffer.from(hex, 'hex'))).toString('hex')).toBe(expected);
});

test.each(['30', '3001', '308000', '3081', '308500000000010a', '3084ffffffff00', '1f810100', '0500ff'])(
  '%s is not DER',
  (hex) => {
    expect(() => readDer(Buffer.from(hex, 'hex'))).toThrow(RangeError);
  },
);
