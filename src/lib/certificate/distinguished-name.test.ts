import { execFileSync, spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readCertificate } from '../certificate.ts';
import { readPem, writePem } from '../pem.ts';
import { writeDer, writeObjectId } from './der.fixture.ts';
import { derTag, readDer } from './der.ts';
import { generateCertificate } from './generate-certificate.ts';

type Attribute = readonly [type: string, value: string | Uint8Array, tag?: number];

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
const [CN, C, L, ST, STREET, O, OU] = [3, 6, 7, 8, 9, 10, 11].map((arc) => `2.5.4.${arc}`) as [
  string,
  string,
  string,
  string,
  string,
  string,
  string,
];
const UID = '0.9.2342.19200300.100.1.1';
const DC = '0.9.2342.19200300.100.1.25';

const template = await generateCertificate({
  commonName: 'template',
  subjectAltNames: [],
  validityDays: 1,
  algorithm: 'ecdsa',
});

/** The template with another subject. Its signature is no longer valid, which loading a certificate does not check. */
function certificateFor(...names: (readonly Attribute[])[]): string {
  const [outer] = readDer(readPem(template.certificate)[0]?.bytes ?? new Uint8Array());
  const [toBeSigned, ...rest] = readDer(outer?.content ?? new Uint8Array());
  const fields = readDer(toBeSigned?.content ?? new Uint8Array()).map((field) => field.whole);
  fields[5] = writeDer(derTag.sequence, ...names.map((name) => writeDer(derTag.set, ...name.map(writeAttribute))));
  const changed = [writeDer(derTag.sequence, ...fields), ...rest.map((part) => part.whole)];
  return writePem('CERTIFICATE', writeDer(derTag.sequence, ...changed));
}

function writeAttribute([type, value, tag = derTag.utf8String]: Attribute): Uint8Array {
  return writeDer(derTag.sequence, writeObjectId(type), writeDer(tag, Buffer.from(value)));
}

function subjectOf(pem: string): string | undefined {
  return readCertificate(pem)?.subject;
}

function opensslSubject(pem: string): string {
  const args = ['x509', '-noout', '-subject', '-nameopt', 'RFC2253,-esc_msb'];
  return execFileSync('openssl', args, { input: pem, encoding: 'utf8' })
    .replace(/^subject=/, '')
    .replace(/\n$/, '')
    .replace('street=', 'STREET=')
    .replace(/(?<=^[\d.]+=)#.*/, (hex) => hex.toLowerCase());
}

const names: [string, (readonly Attribute[])[], string][] = [
  ['nothing', [], ''],
  ['most specific first', [[[C, 'DE']], [[O, 'Ada']], [[CN, 'host']]], 'CN=host,O=Ada,C=DE'],
  [
    'every short name',
    [
      [[DC, 'org']],
      [[C, 'x']],
      [[ST, 'x']],
      [[L, 'x']],
      [[STREET, 'x']],
      [[O, 'x']],
      [[OU, 'x']],
      [[UID, 'x']],
      [[CN, 'x']],
    ],
    'CN=x,UID=x,OU=x,O=x,STREET=x,L=x,ST=x,C=x,DC=org',
  ],
  ['the same name twice', [[[OU, 'a']], [[OU, 'b']]], 'OU=b,OU=a'],
  [
    'several values in one part',
    [
      [[O, 'x']],
      [
        [CN, 'a'],
        [OU, 'b'],
      ],
    ],
    'OU=b+CN=a,O=x',
  ],
  ['an empty value', [[[CN, '']]], 'CN='],
  ['special characters', [[[CN, 'a"b+c,d;e<f>g\\h']]], 'CN=a\\"b\\+c\\,d\\;e\\<f\\>g\\\\h'],
  ['equals and slash need no escape', [[[CN, 'a=b/c']]], 'CN=a=b/c'],
  ['a number sign first', [[[CN, '#a#b']]], 'CN=\\#a#b'],
  ['spaces at the edges', [[[CN, '  a b  ']]], 'CN=\\  a b \\ '],
  ['only a space', [[[CN, ' ']]], 'CN=\\ '],
  ['a backslash before the last space', [[[CN, 'a\\ ']]], 'CN=a\\\\\\ '],
  ['control characters', [[[CN, 'a\0b\nc\x7f']]], 'CN=a\\00b\\0Ac\\7F'],
  ['other scripts', [[[CN, 'Zoë 世界 😀']]], 'CN=Zoë 世界 😀'],
  ['printable string', [[[CN, 'plain', derTag.printableString]]], 'CN=plain'],
  ['IA5 string', [[[DC, 'example', derTag.ia5String]]], 'DC=example'],
  ['numeric string', [[[CN, '42', derTag.numericString]]], 'CN=42'],
  ['teletex string', [[[CN, Buffer.from('Zoë', 'latin1'), derTag.teletexString]]], 'CN=Zoë'],
  ['BMP string', [[[CN, Buffer.from('Zoë', 'utf16le').swap16(), derTag.bmpString]]], 'CN=Zoë'],
  ['universal string', [[[CN, Uint8Array.of(0, 0, 0, 0x5a, 0, 1, 0xf6, 0), derTag.universalString]]], 'CN=Z😀'],
  ['an unknown type', [[['1.2.3.4', 'abc']]], '1.2.3.4=#0c03616263'],
  ['a type with large arcs', [[['2.999.4294967295', 'abc']]], '2.999.4294967295=#0c03616263'],
];

test.each(names)('a distinguished name is written by RFC 4514: %s', (_, name, expected) => {
  expect(subjectOf(certificateFor(...name))).toBe(expected);
});

test.skipIf(!hasOpenssl).each(names)('OpenSSL agrees on %s', (_, name, expected) => {
  expect(opensslSubject(certificateFor(...name))).toBe(expected);
});

test.skipIf(!hasOpenssl)('OpenSSL agrees on any text', () => {
  const unit = fc.oneof(fc.constantFrom(...' #+,;<>"\\=\0\n'), fc.string({ unit: 'grapheme' }));
  // OpenSSL leaves a value that is a number sign and nothing else unescaped, against RFC 4514, section 2.4.
  const text = fc.string({ unit }).filter((value) => value !== '#');
  fc.assert(
    fc.property(text, text, (first, second) => {
      const pem = certificateFor([[O, first.toWellFormed()]], [[CN, second.toWellFormed()]]);
      expect(subjectOf(pem)).toBe(opensslSubject(pem));
    }),
    { numRuns: 40 },
  );
});

test('a number sign alone is escaped', () => {
  expect(subjectOf(certificateFor([[CN, '#']]))).toBe('CN=\\#');
});

test('a type without a short name is written with its number, even one that others abbreviate', () => {
  const email = certificateFor([['1.2.840.113549.1.9.1', 'a@b.c', derTag.ia5String]]);
  expect(subjectOf(email)).toBe('1.2.840.113549.1.9.1=#16056140622e63');
});

test('a value that is no string is written as bytes', () => {
  expect(subjectOf(certificateFor([[CN, Uint8Array.of(0, 1), derTag.bitString]]))).toBe('CN=#03020001');
});

test('a name that is not of its encoding is refused', () => {
  expect(subjectOf(certificateFor([[CN, Uint8Array.of(0xff, 0xfe)]]))).toBeUndefined();
  expect(subjectOf(certificateFor([[CN, Uint8Array.of(0xd8, 0), derTag.bmpString]]))).toBeUndefined();
});
