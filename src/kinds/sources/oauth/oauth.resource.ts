import { sql } from 'kysely';
import { image } from '../../../core/media/image-field.ts';
import type { Complaints } from '../../../lib/problem.ts';
import type { Jobs } from '../../../platform/jobs/job.ts';
import { arrayOf, booleanSchema, objectSchema, orNull, stringSchema } from '../../../resource/document/json-schema.ts';
import type { FieldNotes } from '../../../resource/fields/field.ts';
import { boolean } from '../../../resource/fields/scalar.ts';
import { secret } from '../../../resource/fields/secret.ts';
import { json } from '../../../resource/fields/structured.ts';
import { choice, text } from '../../../resource/fields/text.ts';
import { eitherFilter } from '../../../resource/list/filters.ts';
import { fieldFilter } from '../../../resource/list/query.ts';
import type { Action, Resource } from '../../../resource/resource.ts';
import { buildSourcePath } from '../../../source/redirect-source.ts';
import { defineSource, publicEnrollment, signInFilters, unused } from '../../../source/source.family.ts';
import { wellKnownOf } from './discovery.ts';
import { oauthLogoutPaths, oauthPaths, oauthSourceModel } from './oauth-model.ts';
import { findProviderType, providerTypes } from './provider-types.ts';
import { refreshJobName } from './refresh.job.ts';

export const defaultIcon = '/static/sources/oauth.svg';

const address = (notes: FieldNotes) =>
  text({ max: 255, nullable: true, blank: true, format: 'uri', default: null, filter: true, ...notes });

interface Dependencies {
  readonly config: { readonly publicUrl: string };
  jobs(): Jobs;
}

/** People who come from an OAuth 2 or OpenID Connect service. */
export function oauthSource({ config: { publicUrl }, jobs }: Dependencies): Resource {
  return defineSource({
    path: '/sources/oauth/',
    model: oauthSourceModel,
    schema: 'OAuthSource',
    names: ['OAuth Source', 'OAuth Sources'],
    component: 'xak-source-oauth-form',
    description: 'People sign in with their account at an OAuth 2 or OpenID Connect service.',
    table: 'source_oauth',
    filterBy: [...signInFilters, 'group_matching_mode'],
    filters: {
      // By hand, or published by the service.
      has_jwks: eitherFilter(
        (row) =>
          sql`(cast(${row.col('oidc_jwks')} as text) <> '{}' or cast(${row.col('oidc_discovered')} as text) like '%"keys"%')`,
      ),
      provider_type: fieldFilter('provider_type', text()),
    },
    fields: {
      ...publicEnrollment,
      icon: image(defaultIcon),
      provider_type: choice(
        providerTypes.map(({ name }) => name),
        {
          labels: {
            azuread: 'Microsoft Entra ID',
            github: 'GitHub',
            gitlab: 'GitLab',
            oauth2: 'OAuth 2',
            openidconnect: 'OpenID Connect',
          },
          help: 'The type of service, which determines most of the addresses.',
        },
      ),
      consumer_key: text({
        label: 'Client ID',
        filter: true,
        help: 'The client ID that the service gave you. It may ask for a redirect URI first: the address of this server, followed by /source/oauth/callback/, the slug and a slash.',
      }),
      consumer_secret: secret({
        label: 'Client secret',
        writeOnly: true,
        help: 'The client secret that the service gave you.',
      }),
      oidc_well_known_url: text({
        blank: true,
        default: '',
        format: 'uri',
        help: 'The discovery document of an OpenID Connect service; the other addresses are read from it.',
        group: 'Endpoints',
      }),
      request_token_url: address({ help: 'Where OAuth 1 gets request tokens; empty for OAuth 2.', group: 'Endpoints' }),
      authorization_url: address({
        help: 'Where people are sent to sign in. The service may fix it.',
        group: 'Endpoints',
      }),
      access_token_url: address({
        help: 'Where codes are exchanged for tokens. The service may fix it.',
        group: 'Endpoints',
      }),
      profile_url: address({ help: 'Where the user is read from. The service may fix it.', group: 'Endpoints' }),
      additional_scopes: text({
        blank: true,
        default: '',
        filter: true,
        help: 'Scopes to request besides the usual ones, separated by spaces.',
      }),
      oidc_jwks_url: text({
        blank: true,
        default: '',
        format: 'uri',
        help: 'Where the service publishes its keys.',
        group: 'Endpoints',
      }),
      oidc_jwks: json({
        anyValue: true,
        default: () => ({}),
        help: 'The keys of the service as a JWK Set, where it publishes none.',
        group: 'Endpoints',
      }),
      end_session_at_source: boolean({
        default: true,
        label: 'Sign out at the service too',
        help: 'Whether signing out here ends the session at an OpenID Connect service, if it offers that. Register the logout URL of the source there as post-logout redirect URI.',
      }),
      oidc_discovered: unused(json({ anyValue: true, default: () => ({}) })),
    },
    derived: {
      callback_url: {
        schema: stringSchema,
        from: ({ slug }) => `${publicUrl}${buildSourcePath(oauthPaths.callback, slug)}`,
      },
      logout_url: {
        schema: stringSchema,
        from: ({ slug }) => `${publicUrl}${buildSourcePath(oauthLogoutPaths.logout, slug)}`,
      },
      backchannel_logout_url: {
        schema: stringSchema,
        from: ({ slug }) => `${publicUrl}${buildSourcePath(oauthLogoutPaths.backchannel, slug)}`,
      },
      type: { schema: providerTypeSchema, from: ({ provider_type }) => findProviderType(provider_type) ?? null },
    },
    check: ({ values }) => missingAddresses(values),
    // What the service publishes is read beside the request: saving does not wait for it.
    async afterWrite({ verb, pk, values, tx }) {
      if (verb === 'destroy' || !values.enabled || wellKnownOf(values) === '') return;
      await jobs().enqueue(tx, { kind: refreshJobName, payload: { source: pk }, key: `${refreshJobName} ${pk}` });
    },
    actions: [sourceTypesAction],
  });
}

const url = orNull(stringSchema);
const providerTypeSchema = objectSchema({
  name: stringSchema,
  verbose_name: stringSchema,
  urls_customizable: booleanSchema,
  request_token_url: url,
  authorization_url: url,
  access_token_url: url,
  profile_url: url,
  oidc_well_known_url: url,
  oidc_jwks_url: url,
});

/** Endpoints that neither the type nor a discovery document defines are required. */
function missingAddresses(values: {
  readonly provider_type: string;
  readonly oidc_well_known_url: string;
  readonly authorization_url: string | null;
  readonly access_token_url: string | null;
  readonly profile_url: string | null;
}): Complaints | null {
  const type = findProviderType(values.provider_type);
  if (!type || values.oidc_well_known_url) return null;
  const needed = ['authorization_url', 'access_token_url', 'profile_url'] as const;
  const missing = needed.filter((name) => type[name] === null && !values[name]);
  if (missing.length === 0) return null;
  return {
    ...Object.fromEntries(missing.map((name) => [name, ['This field is required.']])),
    non_field_errors: missing.map((name) => `${name} is required for provider ${type.verbose_name}`),
  };
}

const sourceTypesAction: Action = {
  name: 'source_types',
  on: 'set',
  method: 'GET',
  page: { noButton: 'The form of a source offers them as choices.' },
  summary: 'List the service types of OAuth sources, with their addresses',
  access: 'authenticated',
  query: { name: stringSchema },
  answer: { status: 200, schema: arrayOf(providerTypeSchema), schemaName: 'SourceType' },
  async run({ call }) {
    const name = call.request.query.get('name');
    return name ? providerTypes.filter((type) => type.name === name) : providerTypes;
  },
};
