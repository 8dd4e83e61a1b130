import { image } from '../../../core/media/image-field.ts';
import { nameIdLabels } from '../../../lib/saml/names.ts';
import { actionOn } from '../../../resource/define.ts';
import { booleanSchema, objectSchema, stringSchema } from '../../../resource/document/json-schema.ts';
import { ReplyWith } from '../../../resource/document/operations.ts';
import { ref } from '../../../resource/fields/ref.ts';
import { boolean, duration } from '../../../resource/fields/scalar.ts';
import { choice, text } from '../../../resource/fields/text.ts';
import type { Resource } from '../../../resource/resource.ts';
import { asksForFile } from '../../../resource/write/flags.ts';
import { buildSourcePath } from '../../../source/redirect-source.ts';
import { defineSource, signInFilters } from '../../../source/source.family.ts';
import { checkKeys } from './check-keys.ts';
import { createFromMetadata, importMetadata } from './import-metadata.ts';
import { type SamlSource, samlPaths, samlSourceModel } from './saml-model.ts';
import { metadataOf } from './sp-metadata.ts';

const nameIdFormat = 'urn:oasis:names:tc:SAML:2.0:nameid-format';
const xmlDsig = 'http://www.w3.org/2000/09/xmldsig';
const xmlDsigMore = 'http://www.w3.org/2001/04/xmldsig-more';
const xmlEnc = 'http://www.w3.org/2001/04/xmlenc';

const nameIdPolicies = [
  'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
  `${nameIdFormat}:persistent`,
  `${nameIdFormat}:X509SubjectName`,
  `${nameIdFormat}:WindowsDomainQualifiedName`,
  `${nameIdFormat}:transient`,
];
const digestAlgorithms = [`${xmlDsig}#sha1`, `${xmlEnc}#sha256`, `${xmlDsigMore}#sha384`, `${xmlEnc}#sha512`];
const signatureAlgorithms = [
  `${xmlDsig}#rsa-sha1`,
  `${xmlDsigMore}#rsa-sha256`,
  `${xmlDsigMore}#rsa-sha384`,
  `${xmlDsigMore}#rsa-sha512`,
  `${xmlDsigMore}#ecdsa-sha1`,
  `${xmlDsigMore}#ecdsa-sha256`,
  `${xmlDsigMore}#ecdsa-sha384`,
  `${xmlDsigMore}#ecdsa-sha512`,
  `${xmlDsig}#dsa-sha1`,
];

const keypair = (help: string) =>
  ref('svc_crypto.certificatekeypair', 'uuid', { nullable: true, filter: true, needs: 'use', help });

/** People who come from a SAML identity provider. */
export function samlSource({
  config: { publicUrl },
}: {
  readonly config: { readonly publicUrl: string };
}): Resource<SamlSource> {
  const address = (place: keyof typeof samlPaths) => ({
    schema: stringSchema,
    from: ({ slug }: { readonly slug: string }) => `${publicUrl}${buildSourcePath(samlPaths[place], slug)}`,
  });
  return defineSource({
    path: '/sources/saml/',
    model: samlSourceModel,
    schema: 'SAMLSource',
    names: ['SAML Source', 'SAML Sources'],
    component: 'xak-source-saml-form',
    description: 'People sign in at a SAML identity provider.',
    table: 'source_saml',
    filterBy: [...signInFilters, 'managed'],
    fields: {
      icon: image('/static/sources/saml.svg'),
      pre_authentication_flow: ref('svc_flows.flow', 'uuid', {
        filter: true,
        help: 'The flow that runs before people are sent to the identity provider.',
        proposes: { slug: 'default-source-pre-authentication' },
      }),
      issuer: text({
        blank: true,
        default: '',
        filter: true,
        help: 'Our entity ID; the address of our metadata if empty.',
        group: 'Endpoints',
      }),
      idp_issuer: text({
        blank: true,
        default: '',
        filter: true,
        help: 'The entity ID of the identity provider. With one, only its own answers are accepted.',
        group: 'Endpoints',
      }),
      sso_url: text({
        max: 200,
        format: 'uri',
        filter: true,
        help: 'Where sign-in requests are sent.',
        group: 'Endpoints',
      }),
      slo_url: text({
        max: 200,
        format: 'uri',
        nullable: true,
        blank: true,
        default: null,
        filter: true,
        help: 'Where sign-out requests are sent, if the identity provider takes them.',
        group: 'Endpoints',
      }),
      allow_idp_initiated: boolean({
        default: false,
        filter: true,
        help: 'Accept unsolicited (IdP-initiated) responses. Risky: such a response may belong to another user.',
      }),
      name_id_policy: choice(nameIdPolicies, {
        labels: nameIdLabels(nameIdPolicies),
        default: `${nameIdFormat}:persistent`,
        filter: true,
        help: 'The NameID format to request.',
        group: 'Advanced',
      }),
      binding_type: choice(['REDIRECT', 'POST', 'POST_AUTO'], {
        default: 'REDIRECT',
        labels: { POST_AUTO: 'POST, sent automatically', REDIRECT: 'Redirect' },
        filter: true,
        help: 'How requests reach the identity provider: by redirect or by form, sent at once or by a click.',
        group: 'Advanced',
      }),
      verification_kp: keypair('The certificate that must have signed what the identity provider sends.'),
      signing_kp: keypair('The key pair that signs requests to the identity provider.'),
      digest_algorithm: choice(digestAlgorithms, {
        default: `${xmlEnc}#sha256`,
        filter: true,
        help: 'The digest algorithm of signatures.',
        group: 'Signing',
      }),
      signature_algorithm: choice(signatureAlgorithms, {
        default: `${xmlDsigMore}#rsa-sha256`,
        filter: true,
        help: 'How requests are signed.',
        group: 'Signing',
      }),
      temporary_user_delete_after: duration({
        aboveZero: true,
        default: 'days=1',
        filter: true,
        help: 'When users with a transient name are deleted, counted from their sign-in, if they do not sign out before.',
        group: 'Advanced',
      }),
      encryption_kp: {
        ...keypair('The key pair for which the identity provider encrypts assertions.'),
        filter: false,
      },
    },
    derived: {
      url_metadata: address('metadata'),
      url_acs: address('callback'),
      url_slo: address('logout'),
    },
    check: checkKeys,
    actions: [metadataAction(publicUrl), importMetadata, createFromMetadata],
  });
}

function metadataAction(publicUrl: string) {
  return actionOn<SamlSource>()({
    name: 'metadata',
    on: 'row',
    method: 'GET',
    page: { button: 'Metadata' },
    summary: 'Read the metadata of this service provider, as text or as a file',
    access: 'visible',
    query: { download: booleanSchema },
    answer: {
      status: 200,
      schema: objectSchema({ metadata: stringSchema, download_url: stringSchema }),
      schemaName: 'SAMLMetadata',
      file: 'application/samlmetadata+xml',
    },
    async run({ row, call, tx }) {
      const metadata = await metadataOf(row, publicUrl, { query: tx, world: call.world });
      if (!asksForFile(call.request.query)) return { metadata, download_url: `${call.request.path}?download` };
      return new ReplyWith(200, metadata, {
        'content-type': 'application/samlmetadata+xml; charset=utf-8',
        'content-disposition': `attachment; filename="${row.slug}_metadata.xml"`,
      });
    },
  });
}
