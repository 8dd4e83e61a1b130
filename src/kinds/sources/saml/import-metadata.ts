import { certificateModel } from '../../../core/key/certificate-model.ts';
import { Invalid } from '../../../lib/problem.ts';
import { SamlError } from '../../../lib/saml/message.ts';
import { type Endpoint, type EntityMetadata, readMetadata } from '../../../lib/saml/metadata.ts';
import { bindings } from '../../../lib/saml/names.ts';
import type { Query } from '../../../platform/db/database.ts';
import { checkMayAdd } from '../../../resource/access/access.ts';
import { actionOn, defineAction } from '../../../resource/define.ts';
import type { Fields, Row } from '../../../resource/fields/field.ts';
import { ref } from '../../../resource/fields/ref.ts';
import { slug, text } from '../../../resource/fields/text.ts';
import type { Action, ActionInput } from '../../../resource/resource.ts';
import { createRow, showByKey, updateRow } from '../../../resource/write/write-row.ts';
import { type SamlSource, samlSourceModel } from './saml-model.ts';

const metadata = text({ max: 1_048_576, help: 'The metadata of the identity provider, as XML.' });

const shared = {
  name: 'import_metadata',
  method: 'POST',
} as const;

/** Makes a source from the metadata of an identity provider. */
export const createFromMetadata = defineAction({
  ...shared,
  on: 'set',
  operation: 'create_from_metadata',
  page: { button: 'Create from metadata' },
  summary: 'Create a SAML source from the metadata of its identity provider',
  access: { permission: 'svc_sources_saml.add_samlsource' },
  body: {
    name: text({ help: 'The name on the sign-in page.' }),
    slug: slug({ help: 'Part of the addresses that belong to the source.' }),
    pre_authentication_flow: ref('svc_flows.flow', 'uuid', {
      help: 'The flow that runs before people are sent to the identity provider.',
      proposes: { slug: 'default-source-pre-authentication' },
    }),
    metadata,
  },
  bodySchema: 'SAMLSourceFromMetadataRequest',
  answer: { status: 201, schema: 'self' },
  async run(input) {
    const { call, engine, registry, tx, values } = input;
    const resource = registry.require(samlSourceModel);
    const { metadata: document, ...body } = values;
    const found = await valuesIn(document, body.name, input, tx);
    const { pk } = await createRow({ engine, resource, call, tx }, { ...body, ...found });
    return showByKey({ engine, resource, call, tx }, pk);
  },
});

/** Fills a source from the metadata of its identity provider, as when that has new keys or addresses. */
export const importMetadata: Action<SamlSource> = actionOn<SamlSource>()({
  ...shared,
  on: 'row',
  page: { button: 'Import metadata' },
  summary: 'Fill a SAML source from the metadata of its identity provider',
  access: 'change',
  reaches: 'sign-in',
  body: { metadata },
  bodySchema: 'SAMLSourceMetadataRequest',
  answer: { status: 200, schema: 'self' },
  async run(input) {
    const { call, engine, registry, row, tx, values } = input;
    const resource = registry.require(samlSourceModel);
    const found = await valuesIn(values.metadata, row.name, input, tx);
    await updateRow({ engine, resource, call, tx }, row.pk, row, found, 'patch');
    return showByKey({ engine, resource, call, tx }, row.pk);
  },
});

/** The settings of a source from metadata. Its certificates become one new pair, which may hold several of them. */
async function valuesIn(
  document: string,
  name: string,
  { call, engine, registry }: Pick<ActionInput<unknown, Fields>, 'call' | 'engine' | 'registry'>,
  tx: Query,
): Promise<Row> {
  const found = readOrComplain(document);
  if (found.signing.length === 0) throw Invalid.field('metadata', 'The metadata has no certificate for signing.');
  const signOn = bestOf(found.singleSignOn);
  if (!signOn) throw Invalid.field('metadata', 'The metadata has no SingleSignOnService by redirect or POST.');
  const certificates = registry.require(certificateModel);
  checkMayAdd(certificates, call);
  const { pk: verification_kp } = await createRow(
    { engine, resource: certificates, call, tx },
    {
      name: `${name} - identity provider ${call.now}`,
      certificate_data: found.signing.join('\n'),
    },
  );
  const logout = found.singleLogout.find(({ binding }) => binding === signOn.binding) ?? bestOf(found.singleLogout);
  return {
    verification_kp,
    idp_issuer: found.entityId,
    sso_url: signOn.location,
    slo_url: logout?.location ?? null,
    binding_type: signOn.binding === bindings.redirect ? 'REDIRECT' : 'POST_AUTO',
  };
}

function readOrComplain(document: string): EntityMetadata {
  try {
    return readMetadata(document, 'IDPSSODescriptor');
  } catch (error) {
    throw error instanceof SamlError ? Invalid.field('metadata', error.message) : error;
  }
}

/** Redirects are shorter than pages with a form. */
const bestOf = (endpoints: readonly Endpoint[]): Endpoint | undefined =>
  endpoints.find(({ binding }) => binding === bindings.redirect) ??
  endpoints.find(({ binding }) => binding === bindings.post);
