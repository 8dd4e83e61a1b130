import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contains, isCidr, isPublicAddress, networkOf, parseCidrs, readAddress } from './cidr.ts';

test.each([
  ['10.0.0.0/8', '10.255.0.1', true],
  ['10.0.0.0/8', '11.0.0.1', false],
  ['10.9.9.9/8', '10.0.0.1', true],
  ['10.0.0.0/8', '::ffff:10.0.0.1', true],
  ['10.0.0.0/8', '::ffff:a00:1', true],
  ['10.0.0.0/8', '::10.0.0.1', false],
  ['::ffff:10.0.0.0/104', '10.1.2.3', true],
  ['::ffff:10.0.0.0/104', '11.1.2.3', false],
  ['192.0.2.7', '192.0.2.7', true],
  ['192.0.2.7', '192.0.2.8', false],
  ['0.0.0.0/0', '8.8.8.8', true],
  ['0.0.0.0/0', '2001:4860::1', false],
  ['::/0', '2001:4860::1', true],
  ['::/0', '8.8.8.8', false],
  ['fd00::/8', 'fd12:3456::1', true],
  ['fd00::/8', 'fe80::1', false],
  ['fe80::/10', 'fe80::1%eth0', true],
  ['::1', '::1', true],
  ['::1', '0:0:0:0:0:0:0:1', true],
  ['::1', '127.0.0.1', false],
  ['2001:db8:1::/48', '2001:db8:1:ffff::', true],
  ['2001:db8:1::/48', '2001:db8:2::', false],
  [' 10.0.0.0/8 ', '10.0.0.1', true],
  ['10.0.0.0/8', 'example.com', false],
  ['10.0.0.0/8', '', false],
  ['10.0.0.0/8', '10.0.0.1/32', false],
])('the range %s holds %s: %s', (cidr, ip, expected) => {
  expect(contains(parseCidrs([cidr]), ip)).toBe(expected);
});

test('several ranges hold what any of them holds, and none holds nothing', () => {
  const cidrs = parseCidrs(['10.0.0.0/8', 'fd00::/8']);
  expect(contains(cidrs, '10.0.0.1')).toBe(true);
  expect(contains(cidrs, 'fd00::1')).toBe(true);
  expect(contains(cidrs, '192.168.0.1')).toBe(false);
  expect(contains(parseCidrs([]), '127.0.0.1')).toBe(false);
});

test.each([
  '',
  '/8',
  '10.0.0.0/',
  '10.0.0.0/33',
  '::/129',
  '10.0.0/8',
  '10.0.0.0/8/8',
  '10.0.0.0/-1',
  '10.0.0.0/+8',
  '10.0.0.0/8 x',
  'localhost',
  '010.0.0.0/8',
  'fe80::1%eth0/64',
  '::ffff:0:0/90',
])('%j is not an address range', (text) => {
  expect(isCidr(text)).toBe(false);
  expect(() => parseCidrs(['10.0.0.0/8', text])).toThrow(`"${text}" is not an address range`);
});

test.each([
  '8.8.8.8',
  '1.1.1.1',
  '100.63.255.255',
  '100.128.0.1',
  '172.15.0.1',
  '172.32.0.1',
  '192.167.0.1',
  '223.255.255.255',
  '2606:4700::1111',
  '2001:4860:4860::8888',
  '2a00:1450::1',
  '::ffff:8.8.8.8',
  '2002:808:808::1',
  '64:ff9b::8.8.8.8',
])('the address %s is public', (ip) => {
  expect(isPublicAddress(ip)).toBe(true);
});

test.each([
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '100.64.0.1',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.8',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::127.0.0.1',
  '::8.8.8.8',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:10.0.0.1',
  '0:0:0:0:0:ffff:a9fe:a9fe',
  '::ffff:0:127.0.0.1',
  '64:ff9b::127.0.0.1',
  '64:ff9b::a00:1',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:2::1',
  '2001:10::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '2002:a00:1::1',
  '2002:c0a8:101::1',
  '3fff::1',
  '5f00::1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
  '',
  'localhost',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '[::1]',
])('the address %s is not public', (ip) => {
  expect(isPublicAddress(ip)).toBe(false);
});

test.each([
  ['192.0.2.1', 'c0000201'],
  ['::ffff:192.0.2.1', 'c0000201'],
  ['::', '00000000000000000000000000000000'],
  ['1::', '00010000000000000000000000000000'],
  ['2001:db8::ff:1', '20010db80000000000000000 00ff0001'.replace(' ', '')],
  ['1:2:3:4:5:6:7:8', '00010002000300040005000600070008'],
  ['1:2:3:4:5:6:1.2.3.4', '00010002000300040005000601020304'],
  ['::1.2.3.4', '00000000000000000000000001020304'],
])('the bytes of %s are %s', (ip, hex) => {
  expect(Buffer.from(readAddress(ip) ?? []).toString('hex')).toBe(hex);
});

test('every address, however it is written, has the bytes that the URL parser gives it', () => {
  fc.assert(
    fc.property(fc.ipV6(), (ip) => {
      const normalised = new URL(`http://[${ip}]/`).hostname.slice(1, -1);
      expect(readAddress(ip)).toEqual(readAddress(normalised));
    }),
  );
});

test.each([
  ['192.0.2.7', '::ffff:192.0.2.7', true],
  ['192.0.2.7', '192.0.2.8', false],
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', true],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ['2001:db8:1:2::1', '192.0.2.7', false],
])('the addresses %s and %s are of one network: %s', (left, right, expected) => {
  expect(networkOf(left) === networkOf(right)).toBe(expected);
});
