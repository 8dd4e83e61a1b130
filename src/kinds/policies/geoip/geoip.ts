import type { Geo } from '../../../platform/geo/geo.ts';
import { CannotDecide, definePolicyKind, type PolicyKind, pass, refuse, type Verdict } from '../../../policy/kind.ts';
import { countriesEndpoint, geoIpPolicy } from './geoip.resource.ts';

export function geoIp({ geo }: { readonly geo: Geo }): PolicyKind {
  function checkNetwork(asns: readonly number[], ip: string): Verdict | CannotDecide {
    const network = geo.network(ip);
    if (!network) return new CannotDecide('GeoIP: client IP not found in ASN database.');
    return asns.includes(network.asn) ? pass : refuse('Client IP is not part of an allowed autonomous system.');
  }

  function checkCountry(countries: readonly string[], ip: string): Verdict | CannotDecide {
    const country = geo.locate(ip)?.country;
    if (!country) return new CannotDecide('GeoIP: client IP address not found in City database.');
    return countries.includes(country) ? pass : refuse('Client IP is not in an allowed country.');
  }

  return definePolicyKind({
    resource: geoIpPolicy,
    endpoints: [countriesEndpoint],
    async demo({ api }) {
      const values = { countries: ['DE', 'FR', 'SE'], asns: [] };
      await api.ensure('/policies/geoip/', { name: 'Demo: from Europe' }, values);
    },
    /**
     * A match on either list passes, also where the other database lacks the address; without a match that is a
     * failure.
     */
    evaluate(policy, { clientIp }) {
      const { asns, countries } = policy;
      const results = [
        ...(asns.length > 0 ? [checkNetwork(asns, clientIp)] : []),
        ...(countries.length > 0 ? [checkCountry(countries, clientIp)] : []),
      ];
      const verdicts = results.filter((result): result is Verdict => !(result instanceof CannotDecide));
      if (results.length === 0 || verdicts.some(({ passing }) => passing)) return pass;
      const unknown = results.find((result) => result instanceof CannotDecide);
      if (unknown) throw unknown;
      return refuse(...verdicts.flatMap(({ messages }) => messages));
    },
  });
}
