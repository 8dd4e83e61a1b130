import { sql } from 'kysely';
import { Problem } from '../../../lib/problem.ts';
import { bindings } from '../../../lib/saml/names.ts';
import type { Query } from '../../../platform/db/database.ts';
import { booleanSchema, integerSchema, objectSchema, stringSchema } from '../../../resource/document/json-schema.ts';
import { ReplyWith } from '../../../resource/document/operations.ts';
import { defineEndpoint, type Endpoint } from '../../../resource/endpoint.ts';
import { asksForFile } from '../../../resource/write/flags.ts';
import { idpMetadata, metadataType } from './metadata.ts';
import { loadServiceProvider } from './service-provider.ts';
import type { KeyOf } from './signing-key.ts';

interface Dependencies {
  readonly config: { readonly publicUrl: string };
  readonly keyOf: KeyOf;
}

const bindingNames: readonly string[] = [bindings.redirect, bindings.post];

/** Metadata is public: service providers fetch it anonymously. */
export function metadataEndpoint({ config: { publicUrl }, keyOf }: Dependencies): Endpoint {
  return defineEndpoint({
    id: 'providers_saml_metadata_retrieve',
    method: 'GET',
    path: '/providers/saml/{id}/metadata/',
    page: { button: 'Metadata' },
    summary: 'Read the metadata of this identity provider, as text or as a file',
    access: 'anyone',
    params: { id: integerSchema },
    query: [
      { name: 'download', schema: booleanSchema, allowEmptyValue: true },
      { name: 'force_binding', schema: { type: 'string', enum: bindingNames }, allowEmptyValue: true },
    ],
    answer: {
      status: 200,
      schema: objectSchema({ metadata: stringSchema, download_url: stringSchema }),
      schemaName: 'SAMLMetadata',
      file: metadataType,
    },
    async run({ call }) {
      const { query, path } = call.request;
      const pk = /^\d{1,9}$/.test(call.params.id ?? '') ? Number(call.params.id) : null;
      const provider = pk === null ? null : await loadServiceProvider(call.db, { provider: pk });
      if (!provider) return withoutApplication(call.db.read, pk);
      const forced = query.get('force_binding');
      const only = forced !== null && bindingNames.includes(forced) ? forced : null;
      const metadata = await idpMetadata(provider, publicUrl, { key: keyOf(provider), only, query: call.db.read });
      if (!asksForFile(query) && !asksForXml(call.request.header('accept') ?? '')) {
        return { metadata, download_url: `${path}?download` };
      }
      const name = provider.name.replace(/[^\w.-]+/g, '_').slice(0, 100);
      return new ReplyWith(200, metadata, {
        'content-type': 'application/xml; charset=utf-8',
        'content-disposition': `attachment; filename="${name}_gatehouse_meta.xml"`,
      });
    },
  });
}

/** A provider without an application has no URLs. */
async function withoutApplication(query: Query, pk: number | null) {
  const { rows } = await sql`select 1 from provider_saml where pk = ${pk}`.execute(query);
  if (rows.length === 0) throw new Problem('not_found');
  return { metadata: '', download_url: '' };
}

const asksForXml = (accept: string): boolean =>
  /\b(?:xml|samlmetadata\+xml)\b/i.test(accept) && !/json|\*\/\*/.test(accept);
