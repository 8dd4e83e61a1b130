import { expect, test } from 'vitest';
import type { Geo } from '../../platform/geo/geo.ts';
import { type Binding, brokenBinding } from './binding.ts';

const places: Record<string, [asn: number, network: string, continent: string, country: string, city: string]> = {
  '192.0.2.1': [1, '192.0.2.0/24', 'EU', 'DE', 'Bonn'],
  '192.0.2.2': [1, '192.0.2.0/24', 'EU', 'DE', ''],
  '198.51.100.1': [1, '198.51.100.0/24', 'EU', 'FR', 'Lyon'],
  '203.0.113.1': [2, '203.0.113.0/24', 'NA', 'US', 'Boston'],
};
const geo: Geo = {
  network(ip) {
    const found = places[ip];
    return found ? { asn: found[0], as_org: '', network: found[1] } : null;
  },
  locate(ip) {
    const found = places[ip];
    return found ? { continent: found[2], country: found[3], lat: 0, long: 0, city: found[4] } : null;
  },
};

const at = (ip: string, network: Binding['network'], place: Binding['geo'] = 'no_binding') =>
  brokenBinding(geo, { ip: '192.0.2.1', network, geo: place }, ip)?.reason ?? null;

test.each([
  ['no_binding', { '192.0.2.2': null, '198.51.100.1': null, '203.0.113.1': null, '10.0.0.1': null }],
  ['bind_asn', { '192.0.2.2': null, '198.51.100.1': null, '203.0.113.1': 'asn', '10.0.0.1': 'asn' }],
  ['bind_asn_network', { '192.0.2.2': null, '198.51.100.1': 'network', '203.0.113.1': 'asn' }],
  ['bind_asn_network_ip', { '192.0.2.1': null, '192.0.2.2': 'ip', '198.51.100.1': 'network' }],
] as const)('a session bound by %s to its network', (binding, expected) => {
  for (const [ip, reason] of Object.entries(expected)) expect([ip, at(ip, binding)]).toEqual([ip, reason]);
});

test.each([
  ['bind_continent', { '198.51.100.1': null, '203.0.113.1': 'continent', '10.0.0.1': 'continent' }],
  ['bind_continent_country', { '192.0.2.2': null, '198.51.100.1': 'country', '203.0.113.1': 'continent' }],
  ['bind_continent_country_city', { '192.0.2.1': null, '192.0.2.2': 'city', '198.51.100.1': 'country' }],
] as const)('a session bound by %s to its place', (binding, expected) => {
  for (const [ip, reason] of Object.entries(expected))
    expect([ip, at(ip, 'no_binding', binding)]).toEqual([ip, reason]);
});

test('an unknown network or place does not match a bound session', () => {
  const unknown: Binding = { ip: '10.0.0.1', network: 'bind_asn', geo: 'no_binding' };
  expect(brokenBinding(geo, unknown, '10.0.0.2')).toEqual({ reason: 'asn', previous_value: null, new_value: null });
  expect(brokenBinding(geo, unknown, '10.0.0.1')).toBeNull();
});
