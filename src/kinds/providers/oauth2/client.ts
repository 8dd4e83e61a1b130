import { sql } from 'kysely';
import type { Timestamp } from '../../../platform/clock.ts';
import type { Database, Query } from '../../../platform/db/database.ts';
import { queryCache } from '../../../platform/db/query-cache.ts';
import { statement } from '../../../platform/db/statement.ts';
import { type SecretBox, sealContext } from '../../../platform/keys.ts';
import {
  type ApplicationColumns,
  applicationColumns,
  type ClientApplication,
  extractApplication,
} from '../../../provider/client-application.ts';
import { isOwnPairSql } from '../../../provider/install-defaults.ts';
import type { Call } from '../../../resource/call.ts';
import { isStorable } from '../../../resource/fields/well-formed.ts';
import type { ClaimsCache, ScopeRow, TokenSettings } from './claims.ts';
import type { GrantType } from './grant-types.ts';
import type { RedirectUri } from './redirect-uris.ts';
import type { SecurityProfile } from './security-profile.ts';

/** `auto`: by the kind of the signing key. */
export const signedResponseAlgs = ['auto', 'HS256'] as const;
export type SignedResponseAlg = (typeof signedResponseAlgs)[number];

/** A provider with the application that uses it, as its client meets it now. */
export interface Client extends TokenSettings {
  readonly client_type: 'confidential' | 'public';
  /** Plain text; empty when there is none. */
  readonly client_secret: string;
  /** The secret before the last rotation, while it may still be accepted. */
  readonly previousSecret: { readonly text: string; readonly expires: Timestamp } | null;
  readonly access_code_validity: string;
  readonly refresh_token_validity: string;
  readonly redirect_uris: readonly RedirectUri[];
  readonly grant_types: readonly GrantType[];
  /** Resources and ids of other clients for which it may request tokens. */
  readonly targets: readonly string[];
  /** Its own public keys, as JSON; an empty object when there are none. */
  readonly jwks: string;
  /** Where its keys are published; empty when they are not. */
  readonly jwks_uri: string;
  readonly security_profile: SecurityProfile;
  /** RFC 9101 §10.5 */
  readonly require_signed_request_object: boolean;
  readonly authentication_flow: string | null;
  readonly authorization_flow: string | null;
  readonly invalidation_flow: string | null;
  readonly application: ClientApplication;
  /** Null if the client secret signs, or if the server has no key pair. */
  readonly signingKey: StoredKey | null;
  readonly id_token_signed_response_alg: SignedResponseAlg;
  /** The scopes that the client may request. */
  readonly scopes: readonly ScopeRow[];
  /** Cached claims: userinfo would evaluate the expressions of its scopes each time. */
  readonly claimsCache: ClaimsCache;
}

/** A certificate with its private key, still sealed. */
export interface StoredKey {
  readonly pk: string;
  readonly certificate: string;
  readonly sealedKey: string;
  /** Verification derives the algorithms from the key. */
  readonly profile: SecurityProfile;
}

interface ClientRow extends ApplicationColumns {
  readonly pk: number;
  readonly name: string;
  readonly client_id: string;
  readonly client_type: Client['client_type'];
  readonly client_secret: string;
  readonly previous_secret: string;
  readonly previous_secret_expires: Timestamp | null;
  readonly access_code_validity: string;
  readonly access_token_validity: string;
  readonly refresh_token_validity: string;
  readonly include_claims_in_id_token: boolean;
  readonly redirect_uris: string;
  readonly id_token_signed_response_alg: SignedResponseAlg;
  readonly grant_types: string;
  readonly resources: string;
  readonly jwks: string;
  readonly jwks_uri: string;
  readonly security_profile: SecurityProfile;
  readonly require_signed_request_object: boolean;
  readonly sub_mode: Client['sub_mode'];
  readonly issuer_mode: Client['issuer_mode'];
  readonly authentication_flow: string | null;
  readonly authorization_flow: string | null;
  readonly invalidation_flow: string | null;
  readonly certificate_pk: string | null;
  readonly certificate_data: string | null;
  readonly key_data: string | null;
}

// A provider without an application is inactive: there are no policies to evaluate.
const clientSelect = sql`select o.pk, p.name, o.client_id, o.client_type, o.client_secret, o.previous_secret, o.previous_secret_expires, o.access_code_validity,
    o.access_token_validity, o.refresh_token_validity, o.include_claims_in_id_token, o.redirect_uris, o.grant_types, o.resources, o.id_token_signed_response_alg,
    o.jwks, o.jwks_uri, o.security_profile, o.require_signed_request_object, o.sub_mode, o.issuer_mode,
    p.authentication_flow, p.authorization_flow, p.invalidation_flow,
    ${applicationColumns}, c.pk as certificate_pk, c.certificate_data, c.key_data
  from provider_oauth2 o join providers p on p.pk = o.pk join applications a on a.provider = o.pk
    left join certificates c on o.id_token_signed_response_alg <> 'HS256'
      and (c.pk = o.signing_key or o.signing_key is null and ${isOwnPairSql('c')})`;

const byClientId = statement<[clientId: string], ClientRow>(
  (clientId) => sql`${clientSelect} where o.client_id = ${clientId}`,
);
const bySlug = statement<[slug: string], ClientRow>((slug) => sql`${clientSelect} where a.slug = ${slug}`);
const byProvider = statement<[pk: number], ClientRow>((pk) => sql`${clientSelect} where o.pk = ${pk}`);

/** The scope mappings of a provider; mappings of other kinds mean nothing to it. */
export const scopesOf = statement<[provider: number], ScopeRow>(
  (provider) => sql`select m.name, s.scope_name, m.expression,
    exists (select 1 from mapping_scope_token_sources t where t.mapping = m.pk) as wants_tokens from provider_property_mappings pm
    join property_mappings m on m.pk = pm.mapping join mapping_scope s on s.pk = m.pk
    where pm.provider = ${provider} order by m.name`,
);

/** The providers for which a client may request tokens. */
const audiencesOf = statement<[provider: number], { client_id: string }>(
  (
    provider,
  ) => sql`select o.client_id from provider_oauth2_audience_clients x join provider_oauth2 o on o.pk = x.provider
    where x.client = ${provider}`,
);

/** Those of these resources that are clients: only their own provider allows them. */
const clientsAmong = async (query: Query, resources: readonly string[]) =>
  resources.length === 0
    ? []
    : (
        await sql<{ client_id: string }>`select client_id from provider_oauth2
          where client_id in (${sql.join(resources)})`.execute(query)
      ).rows;

const cache = queryCache<Client | null>('clients');

export interface ClientDependencies {
  readonly db: Database;
  readonly key: { readonly box: SecretBox };
}

type By = { readonly clientId: string } | { readonly slug: string } | { readonly provider: number };

function keyOf(by: By): string | number {
  if ('clientId' in by) return `client ${by.clientId}`;
  return 'slug' in by ? `slug ${by.slug}` : by.provider;
}

function rowsOf(query: Query, by: By) {
  if ('clientId' in by) return byClientId(query, by.clientId);
  return 'slug' in by ? bySlug(query, by.slug) : byProvider(query, by.provider);
}

/** Null for an unknown client, or one without an application. */
export function loadClient(needs: ClientDependencies, by: By): Promise<Client | null> {
  return cache.read(needs.db, keyOf(by), (query) => readClient(needs, query, by));
}

async function readClient({ key }: ClientDependencies, query: Query, by: By): Promise<Client | null> {
  // Not every text is a valid parameter, and no client id is an invalid one.
  if (!Object.values(by).every((name) => typeof name === 'number' || isStorable(name))) return null;
  const [row] = await rowsOf(query, by);
  if (!row) return null;
  const { application, rest } = extractApplication(row);
  const { certificate_pk, certificate_data, key_data, previous_secret, previous_secret_expires, ...kept } = rest;
  const open = (sealed: string) =>
    sealed === '' ? '' : key.box.open(sealed, sealContext('providers', 'client_secret', row.pk));
  const resources: string[] = JSON.parse(row.resources);
  const clients = new Set((await clientsAmong(query, resources)).map(({ client_id }) => client_id));
  const audiences = await audiencesOf(query, row.pk);
  return {
    ...kept,
    include_claims_in_id_token: Boolean(row.include_claims_in_id_token),
    require_signed_request_object: Boolean(row.require_signed_request_object),
    client_secret: open(row.client_secret),
    previousSecret:
      previous_secret === '' || previous_secret_expires === null
        ? null
        : { text: open(previous_secret), expires: previous_secret_expires },
    redirect_uris: JSON.parse(row.redirect_uris),
    grant_types: JSON.parse(row.grant_types),
    targets: [
      ...resources.filter((resource) => !clients.has(resource)),
      ...audiences.map(({ client_id }) => client_id),
    ],
    assigned_application_slug: application.slug,
    application,
    signingKey:
      certificate_pk === null
        ? null
        : {
            pk: certificate_pk,
            certificate: certificate_data ?? '',
            sealedKey: key_data ?? '',
            profile: row.security_profile,
          },
    scopes: await scopesOf(query, row.pk),
    claimsCache: new WeakMap(),
  };
}

export const scopeNames = ({ scopes }: Pick<Client, 'scopes'>): ReadonlySet<string> =>
  new Set(scopes.map(({ scope_name }) => scope_name));

/** The secrets that count: after a rotation the previous one too, until it expires. */
export function secretsOf({ client_secret, previousSecret }: Client, now: Timestamp): string[] {
  if (client_secret === '') return [];
  return previousSecret !== null && previousSecret.expires > now
    ? [client_secret, previousSecret.text]
    : [client_secret];
}

/** Whether the client may send requests to this path: below an issuer, only to its own. */
export const isServedAt = ({ application }: Pick<Client, 'application'>, { params: { slug } }: Pick<Call, 'params'>) =>
  slug === undefined || slug === application.slug;
