import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openGeo } from './geo.ts';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-geo-'));

afterAll(() => rmSync(folder, { recursive: true }));

type Value = string | number | { double: number } | { [key: string]: Value };

/** Writes a MaxMind database by its specification (version 2.0), records of 24 bits. */
function writeDatabase(name: string, ipVersion: 4 | 6, ranges: [bits: string, record: Value][]): string {
  const data = Buffer.concat(ranges.map(([, record]) => encode(record)));
  const nodes: [number, number][] = [[-1, -1]];
  let offset = 0;
  const leaves: { node: number; side: 0 | 1; offset: number }[] = [];
  for (const [bits, record] of ranges) {
    let node = 0;
    for (const bit of bits.slice(0, -1)) {
      const side = bit === '1' ? 1 : 0;
      const next = nodes[node] as [number, number];
      if (next[side] < 0) next[side] = nodes.push([-1, -1]) - 1;
      node = next[side];
    }
    leaves.push({ node, side: bits.endsWith('1') ? 1 : 0, offset });
    offset += encode(record).length;
  }
  for (const leaf of leaves) (nodes[leaf.node] as [number, number])[leaf.side] = nodes.length + 16 + leaf.offset;
  const tree = Buffer.concat(
    nodes.flat().map((value) => {
      const record = Buffer.alloc(4);
      record.writeUInt32BE(value < 0 ? nodes.length : value);
      return record.subarray(1);
    }),
  );
  const metadata = encode({
    node_count: nodes.length,
    record_size: 24,
    ip_version: ipVersion,
    database_type: name,
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1,
  });
  const path = join(folder, `${name}.mmdb`);
  const marker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
  writeFileSync(path, Buffer.concat([tree, Buffer.alloc(16), data, marker, metadata]));
  return path;
}

function encode(value: Value): Buffer {
  if (typeof value === 'string') return Buffer.concat([control(2, Buffer.byteLength(value)), Buffer.from(value)]);
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return Buffer.concat([control(6, 4), bytes]);
  }
  if ('double' in value && typeof value.double === 'number') {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleBE(value.double);
    return Buffer.concat([control(3, 8), bytes]);
  }
  const entries = Object.entries(value);
  return Buffer.concat([control(7, entries.length), ...entries.flatMap(([key, item]) => [encode(key), encode(item)])]);
}

function control(type: number, size: number): Buffer {
  return size < 29 ? Buffer.from([(type << 5) | size]) : Buffer.from([(type << 5) | 29, size - 29]);
}

const bitsOf = (bytes: number[], prefix: number) =>
  bytes
    .map((byte) => byte.toString(2).padStart(8, '0'))
    .join('')
    .slice(0, prefix);

const ipv4InIpv6 = '0'.repeat(96);

const cityPath = writeDatabase('city', 6, [
  [
    ipv4InIpv6 + bitsOf([81, 2, 69], 24),
    {
      continent: { code: 'EU' },
      country: { iso_code: 'GB' },
      location: { latitude: { double: 51.5142 }, longitude: { double: -0.0931 } },
      city: { names: { en: 'London', de: 'London' } },
    },
  ],
  [ipv4InIpv6 + bitsOf([81, 2, 70], 24), { registered_country: { iso_code: 'FR' } }],
  [bitsOf([0x2a, 0x02], 16), { country_code: 'DE', city: 'Berlin', latitude: '52.52', longitude: '13.405' }],
]);

const asnPath = writeDatabase('asn', 6, [
  [
    ipv4InIpv6 + bitsOf([1, 128, 0, 0], 11),
    { autonomous_system_number: 1221, autonomous_system_organization: 'Telstra Pty Ltd' },
  ],
  [ipv4InIpv6 + bitsOf([9, 9, 9, 9], 32), { autonomous_system_number: 19281 }],
  [
    bitsOf([0x2a, 0x02, 0x0f, 0xf0], 29),
    { autonomous_system_number: 64496, autonomous_system_organization: 'Example' },
  ],
  [ipv4InIpv6 + bitsOf([80, 0], 16), { note: 'not announced' }],
]);

const notPublic = [
  ...[
    '',
    ' ',
    'nonsense',
    '999.1.1.1',
    '8.8.8',
    '8.8.8.8/24',
    ' 8.8.8.8',
    '08.8.8.8',
    '8.8.8.8:80',
    '[::1]',
    '0x8080808',
  ],
  ...['10.0.0.1', '192.168.1.1', '172.16.0.1', '127.0.0.1', '169.254.169.254', '0.0.0.0', '255.255.255.255'],
  ...['::', '::1', 'fe80::1', 'fd00::1', '::ffff:10.0.0.1', '2001:db8::1', '192.0.2.1', '224.0.0.1', '100.64.0.1'],
];

test('the database that comes with the server knows countries', async () => {
  const geo = await openGeo();
  const country = { lat: 0, long: 0, city: '' };
  expect(geo.locate('8.8.8.8')).toEqual({ ...country, continent: 'NA', country: 'US' });
  expect(geo.locate('193.0.6.139')).toEqual({ ...country, continent: 'EU', country: 'NL' });
  expect(geo.locate('2001:67c:2e8:22::c100:68b')).toEqual({ ...country, continent: 'EU', country: 'NL' });
  expect(geo.network('8.8.8.8')).toBeNull();
});

test('an IPv4 address that is written as IPv6 is the same address', async () => {
  const geo = await openGeo({ cityPath, asnPath });
  for (const ip of ['::ffff:81.2.69.1', '::ffff:5102:4501', '0:0:0:0:0:FFFF:81.2.69.1']) {
    expect(geo.locate(ip), ip).toEqual(geo.locate('81.2.69.1'));
  }
  expect(geo.network('::ffff:1.128.0.1')).toEqual(geo.network('1.128.0.1'));
});

test.each(notPublic)('the address %j has no location', async (ip) => {
  for (const geo of [await openGeo(), await openGeo({ cityPath, asnPath })]) {
    expect(geo.locate(ip)).toBeNull();
    expect(geo.network(ip)).toBeNull();
  }
});

test('a city database tells the whole place', async () => {
  const geo = await openGeo({ cityPath });
  expect(geo.locate('81.2.69.142')).toEqual({
    continent: 'EU',
    country: 'GB',
    lat: 51.5142,
    long: -0.0931,
    city: 'London',
  });
  expect(geo.locate('81.2.70.1')).toEqual({ continent: 'EU', country: 'FR', lat: 0, long: 0, city: '' });
  expect(geo.locate('2a02:908::1')).toEqual({
    continent: 'EU',
    country: 'DE',
    lat: 52.52,
    long: 13.405,
    city: 'Berlin',
  });
  expect(geo.locate('8.8.8.8')).toBeNull();
});

test('a network database tells who announces an address, and the range', async () => {
  const geo = await openGeo({ cityPath, asnPath });
  expect(geo.network('1.130.5.6')).toEqual({ asn: 1221, as_org: 'Telstra Pty Ltd', network: '1.128.0.0/11' });
  expect(geo.network('9.9.9.9')).toEqual({ asn: 19281, as_org: '', network: '9.9.9.9/32' });
  expect(geo.network('2a02:ff7:1::2')).toEqual({ asn: 64496, as_org: 'Example', network: '2a02:ff0::/29' });
  expect(geo.network('80.0.1.1')).toBeNull();
  expect(geo.network('8.8.8.8')).toBeNull();
});

test('a database of IPv4 alone has no answer for IPv6, not a wrong one', async () => {
  const countryPath = writeDatabase('ipv4', 4, [[bitsOf([0x2a, 0x02], 16), { country_code: 'XA' }]]);
  const geo = await openGeo({ countryPath });
  expect(geo.locate('42.2.1.1')).toMatchObject({ country: 'XA' });
  expect(geo.locate('2a02::1')).toBeNull();
});

test('a path that leads to nothing, or to something else, is refused at once and in words', async () => {
  await expect(openGeo({ cityPath: join(folder, 'missing.mmdb') })).rejects.toThrow('missing.mmdb');
  const other = join(folder, 'other.mmdb');
  writeFileSync(other, 'x'.repeat(200_000));
  await expect(openGeo({ asnPath: other })).rejects.toThrow(`${other} is not a MaxMind database`);
});

test('what cannot be read in a damaged database is unknown, and reported once', async () => {
  const damaged = join(folder, 'damaged.mmdb');
  const bytes = readFileSync(cityPath);
  // A download with a hole: the tree and the metadata are whole, the records are pointers to nowhere.
  bytes.fill(0x3f, bytes.indexOf('continent') - 2, bytes.lastIndexOf('MaxMind.com') - 3);
  writeFileSync(damaged, bytes);
  const reported: string[] = [];
  const geo = await openGeo({ cityPath: damaged, asnPath }, (_error, path) => reported.push(path));
  expect(geo.locate('81.2.69.142')).toBeNull();
  expect(geo.locate('81.2.70.1')).toBeNull();
  expect(geo.network('9.9.9.9')).toMatchObject({ asn: 19281 });
  expect(reported).toEqual([damaged]);
});

test('a database whose description is damaged is read once, not for every visitor', async () => {
  const damaged = join(folder, 'no-metadata.mmdb');
  const bytes = readFileSync(cityPath);
  writeFileSync(damaged, bytes.fill(0xff, bytes.lastIndexOf('MaxMind.com') + 'MaxMind.com'.length));
  const reported: string[] = [];
  const geo = await openGeo({ cityPath: damaged }, (_error, path) => reported.push(path));
  expect(geo.locate('81.2.69.142')).toBeNull();
  writeFileSync(damaged, readFileSync(cityPath));
  expect(geo.locate('81.2.70.1')).toBeNull();
  expect(reported).toEqual([damaged]);
});

test('a database whose records lead in circles does not hold up anybody', async () => {
  const circular = join(folder, 'circular.mmdb');
  const bytes = readFileSync(cityPath);
  // Records begin behind the tree and sixteen zeros; each becomes a pointer to the first, which points to itself.
  const start = bytes.indexOf(Buffer.alloc(16)) + 16;
  for (let at = start; at + 1 < bytes.lastIndexOf('MaxMind.com') - 3; at += 2) bytes.writeUInt16BE(0x2000, at);
  writeFileSync(circular, bytes);
  const reported: string[] = [];
  const geo = await openGeo({ cityPath: circular }, (_error, path) => reported.push(path));
  expect(geo.locate('81.2.69.142')).toBeNull();
  expect(geo.locate('81.2.70.1')).toBeNull();
  expect(reported).toEqual([circular]);
});

test('a database that is gone by the time of its first use makes places unknown', async () => {
  const gone = join(folder, 'gone.mmdb');
  writeFileSync(gone, readFileSync(cityPath));
  const geo = await openGeo({ cityPath: gone });
  rmSync(gone);
  expect(geo.locate('81.2.69.142')).toBeNull();
});
