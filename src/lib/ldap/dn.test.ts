import { describe, expect, it } from 'vitest';
import {
  type Dn,
  escapeDnValue,
  formatDn,
  isAtOrBelow,
  isSameDn,
  normalizeDn,
  normalizeDnText,
  parseDn,
} from './dn.ts';

const dnOf = (text: string): Dn => {
  const dn = parseDn(text);
  if (!dn) throw new Error(`${text} is malformed`);
  return dn;
};

describe('distinguished names', () => {
  it.each([
    // The examples of RFC 4514, section 4.
    ['UID=jsmith,DC=example,DC=net', [[['UID', 'jsmith']], [['DC', 'example']], [['DC', 'net']]]],
    [
      'OU=Sales+CN=J.  Smith,DC=example,DC=net',
      [
        [
          ['OU', 'Sales'],
          ['CN', 'J.  Smith'],
        ],
        [['DC', 'example']],
        [['DC', 'net']],
      ],
    ],
    [
      'CN=James \\"Jim\\" Smith\\, III,DC=example,DC=net',
      [[['CN', 'James "Jim" Smith, III']], [['DC', 'example']], [['DC', 'net']]],
    ],
    ['CN=Before\\0dAfter,DC=example,DC=net', [[['CN', 'Before\rAfter']], [['DC', 'example']], [['DC', 'net']]]],
    ['1.3.6.1.4.1.1466.0=#04024869', [[['1.3.6.1.4.1.1466.0', 'Hi']]]],
    ['CN=Lu\\C4\\8Di\\C4\\87', [[['CN', 'Lučić']]]],
    // Spaces, empty values, escapes at the ends.
    ['cn = a , dc = b', [[['cn', 'a']], [['dc', 'b']]]],
    ['cn=,dc=b', [[['cn', '']], [['dc', 'b']]]],
    ['cn=\\ a\\ ,dc=b', [[['cn', ' a ']], [['dc', 'b']]]],
    ['cn=a\\  ,dc=b', [[['cn', 'a ']], [['dc', 'b']]]],
    ['cn=\\#1=2,dc=b', [[['cn', '#1=2']], [['dc', 'b']]]],
    ['cn=a b\\2cc,dc=d', [[['cn', 'a b,c']], [['dc', 'd']]]],
  ])('parses %s', (text, expected) => {
    expect(parseDn(text)?.map((rdn) => rdn.map(({ type, value }) => [type, value]))).toEqual(expected);
  });

  it('parses the empty name as the root', () => {
    expect(parseDn('')).toEqual([]);
    expect(parseDn('  ')).toEqual([]);
  });

  it.each([
    ['cn'],
    ['=a'],
    ['cn=a,'],
    ['cn=a,,dc=b'],
    ['cn=a+'],
    ['cn=a\\'],
    ['cn=a\\g'],
    ['cn=a\\c3'],
    ['cn=a\\c3\\28'],
    ['cn=a"b'],
    ['cn=a;dc=b'],
    ['cn=<a>'],
    ['cn=#'],
    ['cn=#0'],
    ['cn=#zz'],
    ['c n=a'],
    ['1.=a'],
    ['cn=\0'],
    [`cn=${'a'.repeat(9_000)}`],
    [Array.from({ length: 200 }, () => 'dc=a').join(',')],
  ])('rejects %.40s', (text) => {
    expect(parseDn(text)).toBeNull();
  });

  it.each([
    ['a,b'],
    ['a=b'],
    [' a '],
    ['#a'],
    ['a+b'],
    ['"'],
    ['\\'],
    ['a\\ '],
    [' '],
    ['  '],
    ['\0'],
    ['<;>'],
    ['ä😀'],
    ['a\r\nb'],
    ['cn=x,ou=users,dc=y'],
  ])('escapes %j so that it stays one value', (value) => {
    expect(dnOf(`cn=${escapeDnValue(value)},dc=b`)).toEqual([[{ type: 'cn', value }], [{ type: 'dc', value: 'b' }]]);
    expect(dnOf(formatDn([[{ type: 'cn', value }]]))).toEqual([[{ type: 'cn', value }]]);
  });

  it.each([
    ['CN=Ada,DC=Example', 'cn=ada,dc=example'],
    ['cn=Ada Lovelace, dc=example', 'CN=ada  lovelace,DC=EXAMPLE'],
    ['commonName=a,domainComponent=b', '2.5.4.3=A,0.9.2342.19200300.100.1.25=B'],
    ['cn=a+ou=b', 'OU=B+CN=A'],
    ['cn=\\41da', 'cn=#0403416461'],
    ['cn=Stra\\C3\\9Fe', 'cn=straße'],
    ['cn=\\ ada', 'cn=ada'],
  ])('takes %s and %s for the same', (one, other) => {
    expect(normalizeDnText(one)).toBe(normalizeDnText(other));
    expect(isSameDn(dnOf(one), dnOf(other))).toBe(true);
  });

  it.each([
    ['cn=a,dc=b', 'cn=a\\,dc\\=b'],
    ['cn=a+ou=b', 'cn=a\\+ou\\=b'],
    ['cn=a', 'ou=a'],
    ['cn=\\#0403', 'cn=#0203010203'],
    ['cn=a,dc=b', 'cn=a'],
  ])('keeps %s and %s apart', (one, other) => {
    expect(normalizeDnText(one)).not.toBe(normalizeDnText(other));
    expect(isSameDn(dnOf(one), dnOf(other))).toBe(false);
  });

  it('finds names at and below a base by their parts, not by their text', () => {
    const base = dnOf('dc=example,dc=org');
    expect(isAtOrBelow(dnOf('cn=a,DC=Example, DC=org'), base)).toBe(true);
    expect(isAtOrBelow(base, base)).toBe(true);
    expect(isAtOrBelow(dnOf('dc=org'), base)).toBe(false);
    expect(isAtOrBelow(dnOf('cn=a\\,dc\\=example,dc=org'), base)).toBe(false);
    expect(isAtOrBelow(dnOf('dc=notexample,dc=org'), base)).toBe(false);
    expect(isAtOrBelow(dnOf('cn=a'), [])).toBe(true);
  });

  it('normalizes what it has normalized to itself', () => {
    for (const text of ['CN=Ada \\, L. ,DC=x', 'cn=\\ \\ ', 'ou=b+CN=\\#A', 'cn=#0203010203']) {
      const normal = normalizeDn(dnOf(text));
      expect(normalizeDnText(normal)).toBe(normal);
    }
  });
});
