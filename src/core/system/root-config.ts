import {
  arrayOf,
  booleanSchema,
  integerSchema,
  type JsonSchema,
  objectSchema,
  stringSchema,
} from '../../resource/document/json-schema.ts';
import { defineEndpoint, type Endpoint } from '../../resource/endpoint.ts';
import type { Settings } from '../settings/settings.ts';

interface Dependencies {
  readonly config: { readonly geoip: { readonly asn: string | null } };
  readonly settings: { current(): Promise<Settings> };
}

const capabilities = ['can_save_media', 'can_geo_ip', 'can_asn', 'can_impersonate', 'can_debug', 'is_enterprise'];

const schema: JsonSchema = objectSchema({
  error_reporting: objectSchema({
    enabled: booleanSchema,
    sentry_dsn: stringSchema,
    environment: stringSchema,
    send_pii: booleanSchema,
    traces_sample_rate: { type: 'number', format: 'double' },
  }),
  capabilities: arrayOf({ type: 'string', enum: capabilities }),
  cache_timeout: integerSchema,
  cache_timeout_flows: integerSchema,
  cache_timeout_policies: integerSchema,
  cache_timeout_reputation: integerSchema,
});

/** Server configuration for pages, before sign-in. */
export function rootConfig({ config, settings }: Dependencies): Endpoint {
  return defineEndpoint({
    id: 'root_config_retrieve',
    method: 'GET',
    path: '/root/config/',
    summary: 'Read what this server can do',
    access: 'anyone',
    answer: { status: 200, schema, schemaName: 'Config' },
    async run() {
      return {
        // Nothing is reported to third parties.
        error_reporting: { enabled: false, sentry_dsn: '', environment: '', send_pii: false, traces_sample_rate: 0 },
        capabilities: [
          'can_save_media',
          // The server ships with a country database.
          'can_geo_ip',
          ...(config.geoip.asn === null ? [] : ['can_asn']),
          ...((await settings.current()).impersonation ? ['can_impersonate'] : []),
        ],
        // Seconds. Plans and decisions are not cached; reputation scores are kept for a day.
        cache_timeout: 0,
        cache_timeout_flows: 0,
        cache_timeout_policies: 0,
        cache_timeout_reputation: 86_400,
      };
    },
  });
}
