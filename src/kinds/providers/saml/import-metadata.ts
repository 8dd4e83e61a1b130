import { sql } from 'kysely';
import { certificateModel } from '../../../core/key/certificate-model.ts';
import { Invalid } from '../../../lib/problem.ts';
import { SamlError } from '../../../lib/saml/message.ts';
import { type Endpoint, type EntityMetadata, readMetadata } from '../../../lib/saml/metadata.ts';
import { bindings, nameIdFormats } from '../../../lib/saml/names.ts';
import { contentCiphers } from '../../../lib/xml/encrypt.ts';
import type { Query } from '../../../platform/db/database.ts';
import { consentFlow } from '../../../provider/install-defaults.ts';
import { checkMayAdd } from '../../../resource/access/access.ts';
import type { Call } from '../../../resource/call.ts';
import { defineAction } from '../../../resource/define.ts';
import { ReplyWith } from '../../../resource/document/operations.ts';
import type { Row } from '../../../resource/fields/field.ts';
import { ref } from '../../../resource/fields/ref.ts';
import { text } from '../../../resource/fields/text.ts';
import type { ActionInput } from '../../../resource/resource.ts';
import { createRow } from '../../../resource/write/write-row.ts';
import { samlProviderModel } from './models.ts';

const body = {
  name: text({ help: 'The name of the new provider; unique.' }),
  authorization_flow: ref('svc_flows.flow', 'uuid', {
    help: 'The flow that runs before the application gets access.',
    proposes: { slug: consentFlow },
  }),
};

type Import = ActionInput<unknown, typeof body> & { readonly tx: Query };

/** Makes a provider from the metadata of a service provider. The new object is named in the header `Location`. */
export const importMetadataAction = defineAction({
  name: 'import_metadata',
  on: 'set',
  method: 'POST',
  page: { button: 'Import metadata' },
  summary: 'Create a provider from the metadata of a service provider',
  access: { permission: 'svc_providers_saml.add_samlprovider' },
  upload: true,
  body,
  bodySchema: 'SAMLProviderImportRequest',
  answer: { status: 204 },
  async prepare({ call, registry }) {
    // The certificates of the service provider are stored too.
    checkMayAdd(registry.require(certificateModel), call);
    return uploadedMetadata(call);
  },
  async run(input) {
    const { tx, values, prepared: metadata, engine, registry, call } = input;
    await checkDesignation(tx, values.authorization_flow);
    const provider = { ...values, ...(await settingsOf(input, metadata)) };
    const { pk } = await createRow({ engine, resource: registry.require(samlProviderModel), call, tx }, provider);
    return new ReplyWith(204, undefined, { location: `/api/v3/providers/saml/${pk}/` });
  },
});

async function uploadedMetadata(call: Call): Promise<EntityMetadata> {
  const upload = await call.upload();
  if (!upload || upload.bytes.length === 0) throw Invalid.field('file', 'No file was submitted.');
  try {
    const file = new TextDecoder('utf-8', { fatal: true }).decode(upload.bytes);
    return readMetadata(file.trimStart(), 'SPSSODescriptor');
  } catch (error) {
    if (error instanceof SamlError) throw Invalid.field('file', `Failed to import Metadata: ${error.message}`);
    if (error instanceof TypeError) throw Invalid.field('file', 'The file is not valid UTF-8 text.');
    throw error;
  }
}

async function checkDesignation(tx: Query, flow: string): Promise<void> {
  const { rows } = await sql`select 1 from flows where pk = ${flow} and designation = 'authorization'`.execute(tx);
  if (rows.length === 0) throw Invalid.field('authorization_flow', 'The flow must have the designation authorization.');
}

async function settingsOf(input: Import, metadata: EntityMetadata): Promise<Row> {
  const { name } = input.values;
  const { binding, location: acs_url } = consumerOf(metadata);
  const [signing] = metadata.signing;
  // Otherwise anyone could forge requests in its name.
  if (metadata.signsRequests && signing === undefined) {
    throw Invalid.field(
      'file',
      'Failed to import Metadata: It requires signed requests (AuthnRequestsSigned), but contains no certificate.',
    );
  }
  const [encryption] = metadata.encryption;
  const store = (pem: string, use: string) =>
    storeCertificate(input, `Provider ${name} - SAML ${use} Certificate`, pem);
  const [format] = metadata.nameIdFormats.filter((known) => Object.values<string>(nameIdFormats).includes(known));
  return {
    acs_url,
    sp_binding: binding === bindings.redirect ? 'redirect' : 'post',
    audience: metadata.entityId,
    ...logoutOf(metadata),
    ...(format !== undefined && { default_name_id_policy: format }),
    ...(signing !== undefined && metadata.signsRequests && { verification_kp: await store(signing, 'Signing') }),
    ...(encryption !== undefined && {
      encryption_kp: await store(encryption, 'Encryption'),
      encryption_algorithm:
        contentCiphers.findLast((known) => metadata.encryptionMethods.includes(known)) ?? contentCiphers[0],
    }),
  };
}

/** The default endpoint (they are sorted), with a supported binding; POST if there is a choice. */
function consumerOf({ assertionConsumer }: EntityMetadata): Endpoint {
  const [first] = assertionConsumer;
  const found =
    first?.binding === bindings.post || first?.binding === bindings.redirect
      ? first
      : (assertionConsumer.find(({ binding }) => binding === bindings.post) ??
        assertionConsumer.find(({ binding }) => binding === bindings.redirect));
  if (!found) {
    throw Invalid.field(
      'file',
      'Failed to import Metadata: No AssertionConsumerService found that takes POST or redirects.',
    );
  }
  return found;
}

function logoutOf({ singleLogout }: EntityMetadata): Row {
  for (const sls_binding of ['redirect', 'post'] as const) {
    const found = singleLogout.find(({ binding }) => binding === bindings[sls_binding]);
    if (found) return { sls_url: found.location, sls_binding };
  }
  const soap = singleLogout.find(({ binding }) => binding === bindings.soap);
  return soap ? { sls_url: soap.location, sls_binding: 'soap', logout_method: 'backchannel' } : {};
}

async function storeCertificate({ engine, registry, call, tx }: Import, name: string, pem: string): Promise<unknown> {
  const { pk } = await createRow(
    { engine, resource: registry.require(certificateModel), call, tx },
    { name, certificate_data: pem },
  );
  return pk;
}
