import { sql } from 'kysely';
import { certificateModel } from '../../../core/key/certificate-model.ts';
import { type Complaints, Invalid, Problem } from '../../../lib/problem.ts';
import { isKeySet } from '../../../platform/fetch/remote-keys.ts';
import { randomText } from '../../../platform/random.ts';
import { completeAuthorizationFlow, consentFlow, scopeMappingName } from '../../../provider/install-defaults.ts';
import { defineProvider } from '../../../provider/provider.family.ts';
import { jwksSources } from '../../../provider/workload/jwks-sources.ts';
import type { Call } from '../../../resource/call.ts';
import { objectSchema, stringSchema, uuidSchema } from '../../../resource/document/json-schema.ts';
import type { Row } from '../../../resource/fields/field.ts';
import { ref, refs } from '../../../resource/fields/ref.ts';
import { boolean, canonicalUuid, duration, isUuid, time } from '../../../resource/fields/scalar.ts';
import { secret } from '../../../resource/fields/secret.ts';
import { list } from '../../../resource/fields/structured.ts';
import { choice, text } from '../../../resource/fields/text.ts';
import type { Action, CheckInput, Filter, Resource } from '../../../resource/resource.ts';
import { checkMayActAsUsers, providerRights, requireSuperuser } from './api-scope.ts';
import { checkMaySendAttributes } from './attribute-scope.ts';
import { subModes } from './claims.ts';
import { signedResponseAlgs } from './client.ts';
import { clientJwks, clientKeysComplaint } from './client-keys.ts';
import type { Fapi2Settings } from './fapi2-complaints.ts';
import { fapi2Complaints } from './fapi2-complaints.ts';
import { defaultGrantTypes, grantTypes } from './grant-types.ts';
import { managedScopes, usualScopes } from './install-defaults.ts';
import { oauth2Model } from './oauth2-model.ts';
import { type PreviewNeeds, previewUserAction } from './preview-user.ts';
import { guessLaunchUrl, redirectUris } from './redirect-uris.ts';
import { resourceComplaint } from './resource-indicators.ts';
import { newClientSecret, rotateSecretAction } from './rotate-secret.ts';
import { type SecurityProfile, securityProfiles } from './security-profile.ts';
import { signingPairComplaint } from './signing-pair.ts';
import { type IssuerMode, issuerOf, setupUrls } from './urls.ts';

/** Signs people in to an application by OAuth2 and OpenID Connect. */
export function oauth2Provider(needs: PreviewNeeds, actions: readonly Action[]): Resource {
  return defineProvider({
    path: '/providers/oauth2/',
    model: oauth2Model,
    schema: 'OAuth2Provider',
    names: ['OAuth2/OpenID Provider', 'OAuth2/OpenID Providers'],
    component: 'xak-provider-oauth2-form',
    description: 'Lets applications sign people in through OAuth 2 and OpenID Connect.',
    table: 'provider_oauth2',
    filterBy: ['name', 'property_mappings'],
    usualMappings: usualScopes.map(scopeMappingName),
    mappingsLabel: 'Scopes',
    filters: { application: applicationFilter },
    fields: {
      authorization_flow: ref('svc_flows.flow', 'uuid', {
        filter: true,
        required: false,
        help: 'The flow that runs before an application gets access; by default the built-in one that asks for consent.',
        proposes: { slug: consentFlow },
        group: 'Advanced',
      }),
      client_type: choice(['confidential', 'public'], {
        default: 'confidential',
        filter: true,
        help: 'A confidential client keeps a secret on its server; a public one (a browser or phone app) cannot.',
      }),
      client_id: text({
        max: 255,
        default: () => randomText(40),
        unique: 'OAuth2/OpenID Provider with this Client ID already exists.',
        filter: true,
        help: 'The identifier of the client. Generated unless given.',
      }),
      client_secret: secret({
        max: 255,
        blank: true,
        default: newClientSecret,
        help: 'The secret that a confidential client authenticates with. Generated unless given.',
      }),
      previous_secret_expires: time({
        nullable: true,
        readOnly: true,
        default: null,
        help: 'Until when the client secret before the last rotation is accepted.',
      }),
      access_code_validity: validity('minutes=1', 'codes'),
      access_token_validity: validity('hours=1', 'access tokens'),
      refresh_token_validity: validity('days=30', 'refresh tokens'),
      include_claims_in_id_token: boolean({
        default: true,
        filter: true,
        help: 'Put the claims into the id_token too, for clients that never call the userinfo endpoint.',
        group: 'Advanced',
      }),
      signing_key: ref(certificateModel, 'uuid', {
        nullable: true,
        needs: 'use',
        filter: true,
        help: 'The key pair that signs tokens; with null, that of the server.',
        group: 'Advanced',
      }),
      id_token_signed_response_alg: choice(signedResponseAlgs, {
        default: 'auto',
        filter: true,
        help: 'How tokens are signed: by the signing key, or with the client secret (HS256) for clients that need it.',
        group: 'Advanced',
      }),
      redirect_uris: redirectUris({}),
      sub_mode: choice(subModes, {
        default: 'hashed_user_id',
        filter: true,
        help: 'The value that identifies a user to clients.',
        group: 'Advanced',
      }),
      issuer_mode: choice(['global', 'per_provider'], {
        default: 'per_provider',
        filter: true,
        help: 'Whether tokens name this provider or the whole server as their issuer.',
        group: 'Advanced',
      }),
      grant_types: list(choice(grantTypes), {
        default: defaultGrantTypes,
        help: 'How clients may obtain tokens. Grant types for old clients are off unless they are selected.',
        group: 'Advanced',
      }),
      post_logout_redirect_uris: redirectUris({
        default: () => [],
        help: 'Where people may be sent when a client has signed them out.',
        group: 'Sign-out',
      }),
      backchannel_logout_uri: logoutUri('Called with a logout token when a session ends.'),
      frontchannel_logout_uri: logoutUri('Loaded by the browser that signs out.'),
      jwks_sources: jwksSources({
        table: 'provider_oauth2_jwks_sources',
        help: 'Sources whose keys may sign requests for tokens, such as a cluster or a build server.',
        group: 'Advanced',
      }),
      audience_clients: refs(oauth2Model, 'int', {
        table: 'provider_oauth2_audience_clients',
        own: 'provider',
        other: 'client',
        needs: 'view',
        help: 'Providers whose clients may ask for access tokens that are meant for this one (RFC 8693, RFC 8707).',
        group: 'Advanced',
      }),
      resources: list(text({ max: 2000, check: resourceComplaint }), {
        default: () => [],
        limits: { only: 'superusers' },
        help: 'Resources outside this server that the client may ask access tokens for (RFC 8707).',
        group: 'Advanced',
      }),
      jwks: clientJwks(),
      jwks_uri: text({
        max: 2000,
        blank: true,
        default: '',
        format: 'uri',
        help: 'Where the client publishes its public keys as a JWK Set, in place of `jwks`.',
        group: 'Advanced',
      }),
      security_profile: choice(securityProfiles, {
        default: 'standard',
        labels: { fapi2: 'FAPI 2.0' },
        filter: true,
        help: 'Rules that hold for the client on top of the standards: `fapi2` is the FAPI 2.0 Security Profile.',
        group: 'Advanced',
      }),
      require_signed_request_object: boolean({
        default: false,
        filter: true,
        help: 'Refuse requests for authorization that the client has not signed (RFC 9101).',
        group: 'Advanced',
      }),
    },
    check: completeSettings,
    rightsOf: providerRights,
    actions: [setupUrlsAction(needs.config.publicUrl), previewUserAction(needs), rotateSecretAction, ...actions],
  });
}

const logoutUri = (help: string) =>
  text({ max: 2000, blank: true, default: '', format: 'uri', help, group: 'Sign-out' });

const validity = (value: string, what: string) =>
  duration({
    default: value,
    aboveZero: true,
    filter: true,
    help: `How long ${what} can be used.`,
    group: 'Advanced',
  });

/** By the application that uses it. */
const applicationFilter: Filter = {
  schema: uuidSchema,
  condition({ texts, row }) {
    const text = texts.at(-1) ?? '';
    if (!isUuid(text)) return { complaint: 'Enter a valid UUID.' };
    return sql`${row.col('pk')} in (select a.provider from applications a where a.pk = ${canonicalUuid(text)})`;
  },
};

type OAuth2ProviderSettings = Pick<Fapi2Settings, Exclude<keyof Fapi2Settings, 'signing_key'>> & {
  authorization_flow: string;
  signing_key: string | null;
  property_mappings: readonly string[];
  client_secret: string;
  previous_secret_expires: string | null;
  jwks_sources: readonly string[];
  launch_url: string;
  resources: readonly string[];
  include_claims_in_id_token: boolean;
  security_profile: SecurityProfile;
};

async function completeSettings(input: CheckInput<OAuth2ProviderSettings>): Promise<Complaints | null> {
  const { tx, call, values, given, current } = input;
  const flowComplaints = await completeAuthorizationFlow(input);
  if (flowComplaints) return flowComplaints;
  if (current === null && !given.has('property_mappings')) {
    values.property_mappings = (await managedScopes(tx, usualScopes)).map(({ pk }) => pk);
  }
  const mappings = [...values.property_mappings, ...(current?.property_mappings ?? [])];
  if (await requireSuperuser(tx, mappings)) checkMayActAsUsers(call);
  await checkMaySendAttributes(tx, call, values.property_mappings, current?.property_mappings);
  checkMayAddResources(call, values.resources, current?.resources);
  values.launch_url = guessLaunchUrl(values.redirect_uris);
  if (current !== null && values.client_secret !== current.client_secret) values.previous_secret_expires = null;
  if (given.has('client_secret') && lacksCredentials(values))
    return { client_secret: ['A confidential client needs a secret, or keys of its own.'] };
  const keys = clientKeysComplaint(values);
  if (keys !== null) return { jwks_uri: [keys] };
  if (values.security_profile === 'fapi2') {
    // ID tokens pass through the browser; other claims are at the userinfo endpoint.
    if (current === null && !given.has('include_claims_in_id_token')) values.include_claims_in_id_token = false;
    const complaints = await fapi2Complaints(tx, values);
    if (Object.keys(complaints).length > 0) return complaints;
  }
  if (!given.has('signing_key') || values.signing_key === null) return null;
  const complaint = await signingPairComplaint(tx, values.signing_key, values.security_profile);
  return complaint === null ? null : { signing_key: [complaint] };
}

/** Without a secret or a key, a confidential client could never authenticate. */
const lacksCredentials = ({
  client_type,
  client_secret,
  jwks,
  jwks_uri,
  jwks_sources,
}: OAuth2ProviderSettings): boolean =>
  client_type === 'confidential' &&
  client_secret === '' &&
  jwks_uri === '' &&
  !isKeySet(jwks) &&
  jwks_sources.length === 0;

const maxResources = 100;

/** APIs elsewhere trust the audience of a token: a delegate could get tokens for any of them. */
function checkMayAddResources({ actor }: Call, resources: readonly string[], before: readonly string[] = []): void {
  if (resources.length > maxResources)
    throw Invalid.field('resources', `Ensure this field has no more than ${maxResources} elements.`);
  if (!actor || actor.isSuperuser || resources.every((resource) => before.includes(resource))) return;
  throw new Problem('permission_denied', 'Only superusers may add resources.');
}

interface SetupRow {
  readonly assigned_application_slug: string;
  readonly issuer_mode: IssuerMode;
}

function setupUrlsAction(publicUrl: string): Action<SetupRow> {
  const schema = objectSchema(
    Object.fromEntries(Object.keys(setupUrls(publicUrl, '', 'global')).map((name) => [name, stringSchema])),
  );
  return {
    name: 'setup_urls',
    on: 'row',
    method: 'GET',
    page: { button: 'Setup URLs' },
    summary: 'Show the endpoints for clients of the provider',
    access: 'visible',
    answer: { status: 200, schema, schemaName: 'OAuth2ProviderSetupURLs' },
    run: async ({ row }) => setupUrls(publicUrl, row.assigned_application_slug, row.issuer_mode),
  };
}

/** What an application needs to know about the provider that was created for it. */
export const clientFacts =
  (publicUrl: string) =>
  (provider: Row, slug: string): Record<string, string> => ({
    // As its field has read it.
    issuer: issuerOf(publicUrl, slug, provider.issuer_mode as IssuerMode),
    client_id: String(provider.client_id),
    client_secret: String(provider.client_secret),
  });
