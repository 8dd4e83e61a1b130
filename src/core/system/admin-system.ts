import { getFips } from 'node:crypto';
import { existsSync } from 'node:fs';
import { arch, version as kernelVersion, machine, platform, release, type } from 'node:os';
import type { Call } from '../../resource/call.ts';
import {
  booleanSchema,
  type JsonSchema,
  objectSchema,
  orNull,
  stringSchema,
  timeSchema,
} from '../../resource/document/json-schema.ts';
import { defineEndpoint, type Endpoint } from '../../resource/endpoint.ts';
import { findBrandOfHost } from '../brand/brand-of-host.ts';

interface Dependencies {
  readonly version: string;
  readonly config: { readonly publicUrl: string };
}

const schema: JsonSchema = objectSchema({
  http_headers: { type: 'object', additionalProperties: stringSchema },
  http_host: stringSchema,
  http_is_secure: booleanSchema,
  runtime: objectSchema({
    python_version: stringSchema,
    environment: stringSchema,
    architecture: stringSchema,
    platform: stringSchema,
    uname: stringSchema,
    openssl_version: stringSchema,
    openssl_fips_enabled: orNull(booleanSchema),
    svc_version: stringSchema,
  }),
  brand: stringSchema,
  server_time: timeSchema,
  embedded_outpost_disabled: booleanSchema,
  embedded_outpost_host: stringSchema,
});

/** System information for administrators, by GET and by POST. */
export function systemEndpoints(needs: Dependencies): Endpoint[] {
  return (['GET', 'POST'] as const).map((method) =>
    defineEndpoint({
      id: method === 'GET' ? 'admin_system_retrieve' : 'admin_system_create',
      method,
      path: '/admin/system/',
      summary: 'Read facts about the system and this request',
      access: { permission: 'svc_rbac.view_system_info' },
      answer: { status: 200, schema, schemaName: 'SystemInfo' },
      async run({ call, tx }) {
        const brand = await findBrandOfHost(call.request.host, tx);
        return {
          http_headers: shownHeaders(call),
          http_host: call.request.header('host') ?? '',
          http_is_secure: call.request.isSecure,
          runtime: runtimeFacts(needs.version),
          brand: brand ? `Brand ${brand.domain}` : '',
          server_time: call.now,
          // Outposts are separate processes; none is embedded.
          embedded_outpost_disabled: true,
          embedded_outpost_host: needs.config.publicUrl,
        };
      },
    }),
  );
}

/** Headers that show how a request travelled. A closed list: others may carry credentials. */
const harmlessHeaders = [
  'host',
  'user-agent',
  'accept',
  'accept-encoding',
  'accept-language',
  'connection',
  'content-type',
  'content-length',
  'via',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-real-ip',
];

function shownHeaders({ request }: Call): Record<string, string> {
  const headers = harmlessHeaders.map((name): [string, string | undefined] => [name, request.header(name)]);
  return Object.fromEntries(headers.filter((header): header is [string, string] => header[1] !== undefined));
}

function runtimeFacts(version: string) {
  return {
    // The contract's name for the runtime version.
    python_version: `Node.js ${process.versions.node}`,
    environment: environment(),
    architecture: arch(),
    platform: platform(),
    uname: `${type()} ${release()} ${kernelVersion()} ${machine()}`,
    openssl_version: `OpenSSL ${process.versions.openssl}`,
    openssl_fips_enabled: getFips() === 1,
    svc_version: version,
  };
}

function environment(): string {
  if (existsSync('/var/run/secrets/kubernetes.io/serviceaccount')) return 'kubernetes';
  return existsSync('/.dockerenv') || existsSync('/run/.containerenv') ? 'container' : 'custom';
}
