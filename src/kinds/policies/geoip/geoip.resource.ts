import { definePolicy } from '../../../policy/policy.family.ts';
import { defineEndpoint } from '../../../resource/endpoint.ts';
import { integer } from '../../../resource/fields/scalar.ts';
import { list } from '../../../resource/fields/structured.ts';
import { countriesByName, country, countryList, detailed } from './country.ts';

const maxCountries = 249;

/** Passes addresses of the listed countries or networks. */
export const geoIpPolicy = definePolicy({
  path: '/policies/geoip/',
  model: 'svc_policies_geoip.geoippolicy',
  schema: 'GeoIPPolicy',
  names: ['GeoIP Policy', 'GeoIP Policies'],
  component: 'xak-policy-geoip-form',
  description: 'Passes when the address of the client is in one of some countries or of some autonomous systems.',
  table: 'policy_geoip',
  fields: {
    asns: list(integer(), { default: () => [], help: 'Networks (autonomous system numbers) that pass.' }),
    countries: list(country, {
      max: maxCountries,
      arrange: (codes) => [...new Set(codes)].sort(),
      help: 'Countries that pass.',
    }),
  },
  derived: { countries_obj: { schema: countryList, from: ({ countries }) => detailed(countries) } },
});

/** The countries that a policy can list. */
export const countriesEndpoint = defineEndpoint({
  id: 'policies_geoip_iso3166_list',
  method: 'GET',
  path: '/policies/geoip_iso3166/',
  summary: 'List the countries of ISO 3166-1',
  access: 'anyone',
  answer: { status: 200, schema: countryList, schemaName: 'DetailedCountry' },
  run: async () => countriesByName,
});
