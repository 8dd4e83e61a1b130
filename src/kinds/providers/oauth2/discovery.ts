import { sql } from 'kysely';
import type { Json } from '../../../lib/json.ts';
import type { Query } from '../../../platform/db/database.ts';
import { prompts, responseModes, responseTypes } from './authorize/authorize-request.ts';
import { requestObjectAlgorithms } from './authorize/request-object.ts';
import { defaultAcr } from './claims.ts';
import { type Client, loadClient, scopeNames } from './client.ts';
import { clientAuthenticationMethods } from './client-authentication.ts';
import type { OAuthDependencies } from './dependencies.ts';
import { defaultGrantTypes, grantTypes } from './grant-types.ts';
import { OAuthError } from './oauth-error.ts';
import type { OAuthEndpoint } from './oauth-request.ts';
import { claimsOfScopes } from './requested-claims.ts';
import { algorithmsOf, isFapi2 } from './security-profile.ts';
import { registrationPath, setupUrls } from './urls.ts';

type Document = Readonly<Record<string, Json>>;

/** The metadata of the server for a client (OpenID Connect Discovery §3, RFC 8414). */
export function discoveryEndpoint(needs: OAuthDependencies): OAuthEndpoint {
  return async (exchange) => {
    const client = await loadClient(needs, { slug: exchange.call.params.slug ?? '' });
    if (!client) throw new OAuthError('invalid_request', 'There is no such application.', { status: 404 });
    exchange.allowOriginsOf(client);
    return { status: 200, body: documentOf(needs, client) };
  };
}

const usualScopes = ['openid', 'email', 'profile', 'phone', 'address', 'offline_access'];

/** For clients whose issuer is the whole server: metadata that holds for all of them. */
export function globalDiscoveryEndpoint({ publicUrl, db }: Pick<OAuthDependencies, 'publicUrl' | 'db'>): OAuthEndpoint {
  return async () => {
    const shared = { grant_types: defaultGrantTypes, ...(await sharedByGlobal(db.read)) };
    return {
      status: 200,
      body: {
        ...endpoints(publicUrl, '', 'global'),
        ...common(shared),
        // It sets up clients that name the whole server as their issuer.
        registration_endpoint: `${publicUrl}${registrationPath}`,
        scopes_supported: usualScopes,
        claims_supported: [...ownClaims, ...claimsOfScopes(usualScopes)],
        id_token_signing_alg_values_supported: isFapi2(shared)
          ? ['PS256', 'ES256', 'EdDSA']
          : ['RS256', 'PS256', 'ES256', 'ES384', 'ES512', 'EdDSA', 'HS256'],
      },
    };
  };
}

type Shared = Pick<Client, 'security_profile' | 'require_signed_request_object'>;

/** What holds for every provider whose tokens name the whole server as their issuer. */
async function sharedByGlobal(query: Query): Promise<Shared> {
  const { rows } = await sql<{ all: number; fapi2: number | null; signed: number | null }>`select count(*) as "all",
    sum(case when o.security_profile = 'fapi2' then 1 else 0 end) as fapi2,
    sum(case when o.require_signed_request_object then 1 else 0 end) as signed
    from provider_oauth2 o join applications a on a.provider = o.pk where o.issuer_mode = 'global'`.execute(query);
  const [all, fapi2, signed] = [rows[0]?.all, rows[0]?.fapi2, rows[0]?.signed].map(Number);
  const isShared = (count: number | undefined) => all !== 0 && count === all;
  return {
    security_profile: isShared(fapi2) ? 'fapi2' : 'standard',
    require_signed_request_object: isShared(signed),
  };
}

function documentOf({ publicUrl, signer }: OAuthDependencies, client: Client): Document {
  return {
    ...endpoints(publicUrl, client.assigned_application_slug, client.issuer_mode),
    ...common(client),
    scopes_supported: [...scopeNames(client)],
    claims_supported: [...ownClaims, ...claimsOfScopes(scopeNames(client))],
    id_token_signing_alg_values_supported: signingAlgorithms(signer, client),
  };
}

function signingAlgorithms(signer: OAuthDependencies['signer'], client: Client): string[] {
  try {
    return [signer.keyOf(client).alg];
  } catch (error) {
    // A provider without a signing key lists no algorithms; the other metadata is still published.
    if (error instanceof OAuthError) return [];
    throw error;
  }
}

/** Without an application's slug, the addresses that serve all. */
function endpoints(publicUrl: string, slug: string, issuerMode: Client['issuer_mode']): Document {
  const urls = setupUrls(publicUrl, slug, issuerMode);
  const root = `${publicUrl}/application/o/`;
  const base = issuerMode === 'global' || slug === '' ? root : `${root}${slug}/`;
  return {
    issuer: urls.issuer ?? '',
    authorization_endpoint: urls.authorize ?? '',
    token_endpoint: urls.token ?? '',
    userinfo_endpoint: urls.user_info ?? '',
    end_session_endpoint: urls.logout || `${root}end-session/`,
    jwks_uri: urls.jwks || `${root}jwks/`,
    introspection_endpoint: `${base}introspect/`,
    revocation_endpoint: `${base}revoke/`,
    device_authorization_endpoint: `${base}device/`,
    pushed_authorization_request_endpoint: `${base}par/`,
  };
}

/** The claims that are the protocol's own; which others there are is up to the scopes. */
const ownClaims = [
  'iss',
  'sub',
  'aud',
  'exp',
  'iat',
  'auth_time',
  'acr',
  'amr',
  'nonce',
  'azp',
  'sid',
  'at_hash',
  'c_hash',
];

function common(client: Pick<Client, 'grant_types'> & Shared): Document {
  const { grant_types: allowed } = client;
  const methods = isFapi2(client) ? ['private_key_jwt'] : clientAuthenticationMethods;
  const authenticated = methods.filter((method) => method !== 'none');
  const algorithms = algorithmsOf(client);
  return {
    response_types_supported: Object.entries(responseTypes)
      .filter(([, grantType]) => allowed.includes(grantType))
      .map(([type]) => type),
    response_modes_supported: [...responseModes],
    grant_types_supported: grantTypes.filter((type) => type !== 'hybrid' && allowed.includes(type)),
    subject_types_supported: ['public'],
    token_endpoint_auth_methods_supported: [...methods],
    token_endpoint_auth_signing_alg_values_supported: [...algorithms],
    introspection_endpoint_auth_methods_supported: authenticated,
    introspection_endpoint_auth_signing_alg_values_supported: [...algorithms],
    revocation_endpoint_auth_methods_supported: [...methods],
    revocation_endpoint_auth_signing_alg_values_supported: [...algorithms],
    code_challenge_methods_supported: ['S256'],
    dpop_signing_alg_values_supported: [...algorithms],
    acr_values_supported: [defaultAcr],
    claim_types_supported: ['normal'],
    claims_parameter_supported: true,
    prompt_values_supported: [...prompts],
    request_parameter_supported: true,
    require_signed_request_object: client.require_signed_request_object,
    ...(isFapi2(client) && { require_pushed_authorization_requests: true }),
    request_uri_parameter_supported: false,
    request_object_signing_alg_values_supported: requestObjectAlgorithms(client),
    authorization_response_iss_parameter_supported: true,
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    frontchannel_logout_supported: true,
    frontchannel_logout_session_supported: true,
  };
}
