import { sql } from 'kysely';
import { directoryPermissions, directoryRefusal } from '../../../core/access/directory-readers.ts';
import { certificateModel } from '../../../core/key/certificate-model.ts';
import { parseDuration } from '../../../lib/duration.ts';
import { randomText } from '../../../platform/random.ts';
import { consentFlow } from '../../../provider/install-defaults.ts';
import { outpostNames } from '../../../provider/outpost/outpost-names.ts';
import { defineProvider, providerFamily } from '../../../provider/provider.family.ts';
import { jwksSources } from '../../../provider/workload/jwks-sources.ts';
import { guardDestinations } from '../../../resource/access/destinations.ts';
import { defineResource } from '../../../resource/define.ts';
import { arrayOf, objectSchema, stringSchema } from '../../../resource/document/json-schema.ts';
import { computed } from '../../../resource/fields/computed.ts';
import { hidden, type RowAlias } from '../../../resource/fields/field.ts';
import { ref } from '../../../resource/fields/ref.ts';
import { boolean, duration } from '../../../resource/fields/scalar.ts';
import { secret } from '../../../resource/fields/secret.ts';
import { choice, text } from '../../../resource/fields/text.ts';
import { eitherFilter, iexactFilter } from '../../../resource/list/filters.ts';
import type { Derived, Resource } from '../../../resource/resource.ts';
import { completeSettings, sentAttributeMembers, usualMappings } from './complete-settings.ts';
import { outpostPath, proxyModel, proxyModes } from './proxy-model.ts';
import { authorizePath, endPath } from './proxy-paths.ts';
import { testProxyAction, testProxyResultAction } from './proxy-test-actions.ts';
import { skipPathsComplaint } from './skip-paths.ts';
import { issuerOf, jwksPath } from './token.ts';

interface ProxyResourceNeeds {
  readonly config: { readonly publicUrl: string };
}

const certificateName = (row: RowAlias) =>
  sql`(select c.name from certificates c where c.pk = ${row.col('certificate')})`;
const flowSlug = (row: RowAlias) => sql`(select f.slug from flows f where f.pk = ${row.col('authorization_flow')})`;
const asText = (column: string) => (row: RowAlias) => sql`cast(${row.col(column)} as text)`;
const plain = (column: string) => (row: RowAlias) => row.col(column);
const isMapped = (row: RowAlias) =>
  sql`(select cast(pm.mapping as text) from provider_property_mappings pm where pm.provider = ${row.col('pk')} limit 1)`;

/** What outposts read of a provider, too. */
const served = {
  mode: choice(proxyModes, {
    default: 'proxy',
    help: '`forward_single` protects one application behind your reverse proxy, `forward_domain` all applications of a domain; with `proxy`, Gatehouse is the reverse proxy itself.',
  }),
  external_host: text({
    max: 500,
    format: 'uri',
    help: 'The address at which people open the application, such as https://app.example.com. For a domain: the address at which they sign in to it.',
  }),
  internal_host: text({
    max: 500,
    blank: true,
    default: '',
    format: 'uri',
    limits: { only: 'superusers' },
    help: 'With the mode `proxy`: where Gatehouse reaches the application, such as http://10.0.0.5:8080.',
    group: 'Proxy',
  }),
  internal_host_ssl_validation: boolean({
    default: true,
    limits: { only: 'superusers' },
    help: 'Verify the certificate of the internal host.',
    group: 'Proxy',
  }),
  certificate: ref(certificateModel, 'uuid', {
    nullable: true,
    needs: 'use',
    help: 'The certificate for the external host, for outposts that serve TLS themselves.',
    group: 'Proxy',
  }),
  cookie_domain: text({
    max: 253,
    blank: true,
    default: '',
    help: 'With the mode `forward_domain`: the domain whose applications are protected, such as example.com.',
  }),
  skip_path_regex: text({
    blank: true,
    default: '',
    lines: true,
    check: skipPathsComplaint,
    help: 'Paths that need no sign-in: one regular expression per line, searched in the path (for a domain: in the address), such as ^/public/. Paths that servers read in different ways always need one.',
    group: 'Access',
  }),
  intercept_header_auth: boolean({
    default: true,
    help: 'Refuse requests whose Authorization header fails, instead of redirecting them to the sign-in page.',
    group: 'Access',
  }),
  basic_auth_enabled: boolean({
    default: false,
    help: 'Sign in to the application itself, by a username and a password from the attributes of the user.',
    group: 'Basic authentication',
  }),
  basic_auth_user_attribute: text({
    blank: true,
    default: '',
    help: 'The attribute of users or groups that holds the username; without a value, the email address is sent.',
    group: 'Basic authentication',
  }),
  basic_auth_password_attribute: text({
    blank: true,
    default: '',
    help: 'The attribute of users or groups that holds the password.',
    group: 'Basic authentication',
  }),
} as const;

const clientId = text({
  ...{ readOnly: true, unique: 'Proxy Provider with this Client ID already exists.' },
  default: () => randomText(40),
  help: 'The identifier of the provider in tokens.',
});

/** Protects an application that has no sign-in of its own: behind a reverse proxy (forward auth), or as one. */
export function proxyProvider(needs: ProxyResourceNeeds): Resource {
  return defineProvider({
    path: '/providers/proxy/',
    model: proxyModel,
    schema: 'ProxyProvider',
    names: ['Proxy Provider', 'Proxy Providers'],
    component: 'xak-provider-proxy-form',
    description:
      'Protects applications that have no sign-in of their own, behind a reverse proxy (forward auth) or as one.',
    table: 'provider_proxy',
    filterBy: [],
    usualMappings,
    filters: {
      application__isnull: eitherFilter(
        (row) => sql`not exists (select 1 from applications a where a.provider = ${row.col('pk')})`,
      ),
      ...iexactFilter('authorization_flow__slug', flowSlug),
      ...iexactFilter('certificate__kp_uuid', asText('certificate')),
      ...iexactFilter('certificate__name', certificateName),
      ...iexactFilter('property_mappings', isMapped),
      ...Object.assign(
        {},
        ...['basic_auth_password_attribute', 'basic_auth_user_attribute', 'cookie_domain', 'external_host'].map(
          (name) => iexactFilter(name, plain(name)),
        ),
        ...['internal_host', 'mode', 'name', 'skip_path_regex'].map((name) => iexactFilter(name, plain(name))),
      ),
      basic_auth_enabled__iexact: { ...eitherFilter(plain('basic_auth_enabled')), notOnPages: true },
      internal_host_ssl_validation__iexact: {
        ...eitherFilter(plain('internal_host_ssl_validation')),
        notOnPages: true,
      },
    },
    fields: {
      authorization_flow: ref('svc_flows.flow', 'uuid', {
        required: false,
        help: 'The flow that runs before an application gets access; by default the built-in one that asks for consent.',
        proposes: { slug: consentFlow },
      }),
      ...served,
      access_token_validity: duration({
        default: 'hours=24',
        aboveZero: true,
        help: 'How long a sign-in to the application lasts; afterwards people pass the flow again.',
        group: 'Access',
      }),
      refresh_token_validity: duration({
        default: 'days=30',
        aboveZero: true,
        help: 'Kept for clients that set it: sessions are not refreshed.',
        group: 'Access',
      }),
      jwks_sources: jwksSources({
        table: 'provider_proxy_jwks_sources',
        help: 'Sources whose keys may sign tokens that programs sign in with, such as a cluster or a build server.',
        group: 'Access',
      }),
      client_id: clientId,
      client_secret: secret({ ...hidden, default: () => randomText(128) }),
      cookie_secret: secret({ ...hidden, default: () => randomText(32) }),
      host: text({ ...hidden, default: '' }),
      outpost_set: outpostNames,
    },
    derived: { redirect_uris: redirectUris },
    check: completeSettings(needs.config.publicUrl),
    rightsOf: guardDestinations({
      members: sentAttributeMembers,
      permissions: directoryPermissions,
      refusal: directoryRefusal,
    }).rightsOf,
    actions: [testProxyAction, testProxyResultAction],
  });
}

const { name, assigned_application_slug, assigned_application_name } = providerFamily.fields;

const openIdConfiguration = objectSchema({
  issuer: stringSchema,
  authorization_endpoint: stringSchema,
  token_endpoint: stringSchema,
  userinfo_endpoint: stringSchema,
  end_session_endpoint: stringSchema,
  introspection_endpoint: stringSchema,
  jwks_uri: stringSchema,
  response_types_supported: arrayOf(stringSchema),
  id_token_signing_alg_values_supported: arrayOf(stringSchema),
  subject_types_supported: arrayOf(stringSchema),
  token_endpoint_auth_methods_supported: arrayOf(stringSchema),
});

/**
 * The same rows for other programs, without those that no application uses, for which nothing is served. They have no
 * secrets: outposts relay requests, so neither they nor clients use the provider by OAuth.
 */
export const proxyOutpostConfig = ({ config: { publicUrl } }: ProxyResourceNeeds): Resource =>
  defineResource({
    path: '/outposts/proxy/',
    param: 'id',
    key: 'int',
    model: proxyModel,
    schema: 'ProxyOutpostConfig',
    names: ['Proxy Provider', 'Proxy Providers'],
    table: 'provider_proxy',
    family: { ...providerFamily, fields: { name, assigned_application_slug, assigned_application_name } },
    isAlternate: true,
    visibility: {
      by: 'permission',
      always: (row) => sql`exists (select 1 from applications a where a.provider = ${row.col('pk')})`,
    },
    verbs: ['list'],
    order: ['name'],
    search: ['name'],
    fields: {
      name: { ...name, filter: true },
      ...served,
      client_id: clientId,
      validity: { ...computed(stringSchema, plain('access_token_validity')), writeOnly: true },
      scopes_to_request: computed(arrayOf(stringSchema), (row, dialect) =>
        dialect.jsonValues(
          sql`select m.scope_name from provider_property_mappings pm join mapping_scope m on m.pk = pm.mapping
            where pm.provider = ${row.col('pk')} order by m.scope_name`,
          'scope_name',
        ),
      ),
      assigned_application_slug,
      assigned_application_name,
    },
    derived: {
      access_token_validity: {
        schema: { type: 'number', format: 'double' },
        from: ({ validity }) => (parseDuration(validity) ?? 0) / 1000,
      },
      oidc_configuration: {
        schema: openIdConfiguration,
        from: ({ assigned_application_slug: slug }) => ({
          issuer: issuerOf(publicUrl, slug),
          authorization_endpoint: publicUrl + authorizePath(slug),
          token_endpoint: '',
          userinfo_endpoint: '',
          end_session_endpoint: publicUrl + endPath(slug),
          introspection_endpoint: '',
          jwks_uri: publicUrl + jwksPath(slug),
          response_types_supported: ['code'],
          id_token_signing_alg_values_supported: [],
          subject_types_supported: ['public'],
          token_endpoint_auth_methods_supported: [],
        }),
      },
    },
  });

const redirectUris: Derived<{ external_host: string }> = {
  schema: arrayOf(objectSchema({ matching_mode: { ...stringSchema, enum: ['strict', 'regex'] }, url: stringSchema })),
  from: ({ external_host }) => {
    const callback = URL.parse(`${outpostPath}/callback`, external_host);
    return callback ? [{ matching_mode: 'strict', url: callback.href }] : [];
  },
};
