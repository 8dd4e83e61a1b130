import { sql } from 'kysely';
import { certificateModel } from '../../../core/key/certificate-model.ts';
import { nameIdFormats, nameIdLabels } from '../../../lib/saml/names.ts';
import { contentCiphers } from '../../../lib/xml/encrypt.ts';
import { consentFlow } from '../../../provider/install-defaults.ts';
import { defineProvider } from '../../../provider/provider.family.ts';
import { stringSchema, uuidSchema } from '../../../resource/document/json-schema.ts';
import type { Field } from '../../../resource/fields/field.ts';
import { ref } from '../../../resource/fields/ref.ts';
import { boolean, canonicalUuid, duration, isUuid } from '../../../resource/fields/scalar.ts';
import { choice, text } from '../../../resource/fields/text.ts';
import { eitherFilter } from '../../../resource/list/filters.ts';
import type { Action, Derived, Filter, Resource } from '../../../resource/resource.ts';
import {
  defaultDigest,
  defaultSignature,
  digestAlgorithms,
  isStrongAlgorithm,
  signatureAlgorithms,
} from './algorithms.ts';
import { completeSettings } from './complete-settings.ts';
import { importMetadataAction } from './import-metadata.ts';
import { attributeMappings } from './install-defaults.ts';
import { samlMappingModel, samlProviderModel } from './models.ts';
import { type PreviewNeeds, previewUserAction } from './preview-user.ts';
import { defaultIssuer, samlPaths, samlRoot, shownIssuer } from './urls.ts';

interface Dependencies extends PreviewNeeds {
  readonly config: { readonly publicUrl: string };
}

const weak = (names: readonly string[]): string[] => names.filter((name) => !isStrongAlgorithm(name));

/** Signs people in to an application by SAML 2.0. */
export function samlProvider(needs: Dependencies, actions: readonly Action[]): Resource {
  const { publicUrl } = needs.config;
  return defineProvider({
    path: '/providers/saml/',
    model: samlProviderModel,
    schema: 'SAMLProvider',
    names: ['SAML Provider', 'SAML Providers'],
    component: 'xak-provider-saml-form',
    description: 'Lets applications sign people in through SAML 2.0.',
    table: 'provider_saml',
    filterBy: ['name', 'authentication_flow', 'property_mappings'],
    usualMappings: attributeMappings,
    filters: {
      issuer: {
        schema: stringSchema,
        condition: ({ texts, row }) =>
          sql`${texts.at(-1) ?? ''} in (${row.col('issuer')}, ${shownIssuer(publicUrl, row)})`,
      },
      is_backchannel: eitherFilter((row) => sql`${row.col('is_backchannel')}`),
      backchannel_application: backchannelFilter,
    },
    fields: {
      authorization_flow: ref('svc_flows.flow', 'uuid', {
        filter: true,
        required: false,
        help: 'The flow that runs before an application gets access; by default the built-in one that asks for consent.',
        proposes: { slug: consentFlow },
      }),
      acs_url: text({
        max: 200,
        format: 'uri',
        filter: true,
        help: 'Where responses are sent (assertion consumer service). A request that names another address is refused.',
        group: 'Service provider',
      }),
      audience: text({
        blank: true,
        default: '',
        filter: true,
        help: 'The audience of assertions: the entity ID of the service provider.',
        group: 'Service provider',
      }),
      issuer: issuerField(publicUrl),
      sp_binding: choice(['redirect', 'post'], {
        default: 'post',
        labels: { post: 'POST' },
        filter: true,
        help: 'How responses reach the service provider. Most take them by post only.',
        group: 'Service provider',
      }),
      assertion_valid_not_before: validity('minutes=-5', 'From when an assertion is valid, counted from now'),
      assertion_valid_not_on_or_after: validity('minutes=5', 'Until when an assertion is valid, counted from now'),
      session_valid_not_on_or_after: validity('minutes=86400', 'When the service provider should end its own session'),
      name_id_mapping: ref(samlMappingModel, 'uuid', {
        nullable: true,
        needs: 'use',
        filter: true,
        help: 'Decides the name of the user (NameID); without one it follows from the format.',
        group: 'Advanced',
      }),
      default_name_id_policy: choice(Object.values(nameIdFormats), {
        labels: nameIdLabels(Object.values(nameIdFormats)),
        default: nameIdFormats.unspecified,
        filter: true,
        help: 'The format of the NameID if the service provider requests none.',
        group: 'Advanced',
      }),
      digest_algorithm: choice(digestAlgorithms, {
        default: defaultDigest,
        filter: true,
        limits: { without: weak(digestAlgorithms) },
        help: 'The digest algorithm of signatures. SHA-1 is refused.',
        group: 'Signing',
      }),
      signature_algorithm: choice(signatureAlgorithms, {
        default: defaultSignature.rsa ?? '',
        filter: true,
        limits: { without: weak(signatureAlgorithms) },
        help: 'How messages are signed; it has to fit the key. SHA-1 and DSA are refused.',
        group: 'Signing',
      }),
      signing_kp: keypair('The key pair that signs messages; with null, that of the server.'),
      verification_kp: keypair('The certificate of the service provider. With it, unsigned requests are refused.'),
      encryption_kp: keypair('The certificate that assertions are encrypted for; with null they are not encrypted.'),
      encryption_algorithm: choice(contentCiphers, {
        default: contentCiphers[0],
        filter: true,
        help: 'How assertions are encrypted. GCM is safer, if the service provider supports it.',
        group: 'Signing',
      }),
      sign_assertion: boolean({
        default: true,
        filter: true,
        help: 'Sign assertions.',
        isObvious: true,
        group: 'Signing',
      }),
      sign_response: boolean({
        default: false,
        filter: true,
        help: 'Sign whole responses.',
        isObvious: true,
        group: 'Signing',
      }),
      default_relay_state: text({
        blank: true,
        default: '',
        filter: true,
        help: 'The RelayState for sign-ins that start here; often the page to land on.',
        group: 'Advanced',
      }),
      sls_url: text({
        max: 200,
        blank: true,
        default: '',
        format: 'uri',
        filter: true,
        help: 'Where logout messages are sent (single logout service); empty when the service provider takes none.',
        group: 'Sign-out',
      }),
      sls_binding: choice(['redirect', 'post', 'soap'], {
        default: 'redirect',
        labels: { post: 'POST', soap: 'SOAP' },
        filter: true,
        help: 'How logout messages reach the service provider.',
        group: 'Sign-out',
      }),
      logout_method: choice(['frontchannel', 'backchannel'], {
        default: 'frontchannel',
        filter: true,
        help: 'Who delivers logout requests: the browser that signs out, or this server whenever a session ends.',
        group: 'Sign-out',
      }),
    },
    derived: {
      url_download_metadata: address(publicUrl, 'metadata'),
      url_sso_post: address(publicUrl, 'ssoPost'),
      url_sso_redirect: address(publicUrl, 'ssoRedirect'),
      url_sso_init: address(publicUrl, 'ssoInit'),
      url_slo_post: address(publicUrl, 'sloPost'),
      url_slo_redirect: address(publicUrl, 'sloRedirect'),
    },
    check: completeSettings(publicUrl),
    actions: [previewUserAction(needs), importMetadataAction, ...actions],
  });
}

/** Reads as in the metadata. */
const issuerField = (publicUrl: string): Field<string> => ({
  ...text({
    default: defaultIssuer,
    limits: { only: 'superusers' },
    help: `Our entity ID. “${defaultIssuer}” stands for the address of the application’s metadata.`,
    group: 'Service provider',
  }),
  orderable: false,
  storage: { in: 'column', type: 'text', shownAs: (row) => shownIssuer(publicUrl, row) },
  // Of these addresses, only its own gets past the check.
  toColumn: (value) => (value.startsWith(`${publicUrl}${samlRoot}`) ? defaultIssuer : value),
});

const keypair = (help: string) =>
  ref(certificateModel, 'uuid', { nullable: true, filter: true, needs: 'use', help, group: 'Signing' });

const validity = (value: string, what: string) =>
  duration({ default: value, filter: true, help: `${what}.`, group: 'Advanced' });

/** While no application uses the provider, it has no addresses. */
const address = (
  publicUrl: string,
  name: keyof ReturnType<typeof samlPaths>,
): Derived<{ assigned_application_slug: string }> => ({
  schema: stringSchema,
  from: ({ assigned_application_slug: slug }) => (slug === '' ? '-' : `${publicUrl}${samlPaths(slug)[name]}`),
});

/** By the application that it serves behind the scenes. */
const backchannelFilter: Filter = {
  schema: uuidSchema,
  condition({ texts, row }) {
    const asked = texts.at(-1) ?? '';
    if (!isUuid(asked)) return { complaint: 'Enter a valid UUID.' };
    return sql`${row.col('pk')} in (select ab.provider from application_backchannel_providers ab
      where ab.application = ${canonicalUuid(asked)})`;
  },
};
