import type { Geo } from '../../platform/geo/geo.ts';

/** How tightly a session is bound to its network; each value includes the ones before it. */
export const networkBindings = ['no_binding', 'bind_asn', 'bind_asn_network', 'bind_asn_network_ip'] as const;
/** How tightly it is bound to its location. */
export const geoBindings = [
  'no_binding',
  'bind_continent',
  'bind_continent_country',
  'bind_continent_country_city',
] as const;

/** The address at which a session began, and what of it must not change. */
export interface Binding {
  readonly ip: string;
  readonly network: (typeof networkBindings)[number];
  readonly geo: (typeof geoBindings)[number];
}

export interface BrokenBinding {
  readonly reason: string;
  readonly previous_value: string | number | null;
  readonly new_value: string | number | null;
}

type Fact = readonly [name: string, value: string | number | null];

/** The binding that is violated; null if none. Unknown values never match. */
export function brokenBinding(geo: Geo, { ip, network, geo: place }: Binding, newIp: string): BrokenBinding | null {
  if (newIp === ip) return null;
  return (
    firstDifference(networkFacts(geo, ip), networkFacts(geo, newIp), networkBindings.indexOf(network)) ??
    firstDifference(placeFacts(geo, ip), placeFacts(geo, newIp), geoBindings.indexOf(place))
  );
}

function firstDifference(before: readonly Fact[], now: readonly Fact[], bound: number): BrokenBinding | null {
  for (const [index, [reason, previous_value]] of before.slice(0, bound).entries()) {
    const new_value = now[index]?.[1] ?? null;
    if (!previous_value || previous_value !== new_value) return { reason, previous_value, new_value };
  }
  return null;
}

function networkFacts(geo: Geo, ip: string): Fact[] {
  const found = geo.network(ip);
  return [
    ['asn', found?.asn ?? null],
    ['network', found?.network ?? null],
    ['ip', ip],
  ];
}

function placeFacts(geo: Geo, ip: string): Fact[] {
  const found = geo.locate(ip);
  return [
    ['continent', found?.continent ?? null],
    ['country', found?.country ?? null],
    ['city', found?.city ?? null],
  ];
}
