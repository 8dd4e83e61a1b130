import { isJsonObject } from '../../../../lib/json.ts';
import { defaultAcr } from '../claims.ts';
import { OAuthError } from '../oauth-error.ts';
import type { Params } from '../params.ts';
import { words } from '../params.ts';
import { availableClaims } from '../requested-claims.ts';
import { checkResource } from '../resource-indicators.ts';
import { isFapi2 } from '../security-profile.ts';
import {
  type AuthorizeRequest,
  prompts,
  type RequestingClient,
  type ResponseMode,
  responseModes,
  responseTypes,
} from './authorize-request.ts';

type Reading = Partial<AuthorizeRequest>;
/** Parses some of the parameters, given those parsed before. Throws `OAuthError`. */
type Step = (params: Params, client: RequestingClient, read: Reading) => Reading;

/** In this order. Client and redirect URI are verified before, so that errors can be sent to the client. */
const steps: readonly Step[] = [
  readResponseType,
  readResponseMode,
  refuseUnsupported,
  readScope,
  readPrompt,
  readMaxAge,
  readHints,
  readNonce,
  readPkce,
  readClaims,
  checkAcr,
  readResources,
  readDpopKey,
];

type Proven = Pick<AuthorizeRequest, 'client_id' | 'redirect_uri' | 'state' | 'pushed'>;

/** The request of a client whose redirect URI is proven. */
export function parseAuthorizeRequest(params: Params, client: RequestingClient, proven: Proven): AuthorizeRequest {
  let read: Reading = proven;
  for (const step of steps) read = { ...read, ...step(params, client, read) };
  // The steps together read every member.
  return read as AuthorizeRequest;
}

/** Response mode for errors raised before `response_mode` is validated. */
export function errorResponseMode(params: Params): ResponseMode {
  const asked = responseModes.find((mode) => mode === params.get('response_mode'));
  const hasTokens = returnsTokens(params.get('response_type') ?? 'code');
  if (asked === undefined || (asked === 'query' && hasTokens)) return hasTokens ? 'fragment' : 'query';
  return asked;
}

const returnsTokens = (type: string): boolean => /token/.test(type);

function readResponseType(params: Params, client: RequestingClient): Reading {
  const response_type = words(params.require('response_type')).sort().join(' ');
  const grant = Object.hasOwn(responseTypes, response_type) ? responseTypes[response_type] : undefined;
  if (!grant) throw new OAuthError('unsupported_response_type', 'Unsupported response_type.');
  // FAPI 2.0 Security Profile §5.3.2.2
  if (!client.grant_types.includes(grant) || (isFapi2(client) && response_type !== 'code')) {
    throw new OAuthError('unauthorized_client', `The client may not use the response_type ${response_type}.`);
  }
  return { response_type };
}

function readResponseMode(params: Params, _client: RequestingClient, { response_type = '' }: Reading): Reading {
  const asked = params.get('response_mode');
  const hasTokens = returnsTokens(response_type);
  if (asked === undefined) return { response_mode: hasTokens ? 'fragment' : 'query' };
  const mode = responseModes.find((one) => one === asked);
  if (!mode) {
    throw new OAuthError('invalid_request', 'Unsupported response_mode.');
  }
  // OAuth 2.0 Multiple Response Types §3.0, §5: a query ends up in logs and histories.
  if (asked === 'query' && hasTokens)
    throw new OAuthError(
      'invalid_request',
      'response_mode=query is not allowed for response types that return tokens.',
    );
  return { response_mode: mode };
}

/** OpenID Connect Core §7.2.1 */
function refuseUnsupported(params: Params): Reading {
  if (params.get('registration') !== undefined) {
    throw new OAuthError('registration_not_supported', 'Registration in an authorization request is not supported.');
  }
  return {};
}

/** RFC 6749 §3.3: scopes that the client may not request are dropped; the token response lists those granted. */
function readScope(params: Params, { scopes }: RequestingClient, { response_type = '' }: Reading): Reading {
  const known = new Set(scopes.map(({ scope_name }) => scope_name));
  const scope = words(params.get('scope')).filter((name) => known.has(name));
  if (response_type.includes('id_token') && !scope.includes('openid')) {
    throw new OAuthError('invalid_scope', 'An id_token requires the scope openid.');
  }
  return { scope };
}

function readPrompt(params: Params): Reading {
  const given = words(params.get('prompt'));
  const prompt = given.flatMap((word) => prompts.find((one) => one === word) ?? []);
  if (prompt.length < given.length) {
    throw new OAuthError('invalid_request', 'Unsupported prompt value.');
  }
  if (prompt.includes('none') && prompt.length > 1) {
    throw new OAuthError('invalid_request', 'prompt=none cannot be combined with other values.');
  }
  return { prompt };
}

function readMaxAge(params: Params): Reading {
  const text = params.get('max_age');
  if (text === undefined) return { max_age: null };
  if (!/^\d{1,10}$/.test(text)) throw new OAuthError('invalid_request', 'max_age must be a number of seconds.');
  return { max_age: Number(text) };
}

function readHints(params: Params): Reading {
  return { login_hint: params.get('login_hint') ?? null, acr_values: words(params.get('acr_values')) };
}

/** OpenID Connect Core §3.2.2.1, §3.3.2.11: without one, an id_token from the browser could be another's. */
function readNonce(params: Params, _client: RequestingClient, { response_type = '' }: Reading): Reading {
  const nonce = params.get('nonce') ?? '';
  if (nonce === '' && response_type.includes('id_token')) {
    throw new OAuthError('invalid_request', 'nonce is required for this response_type.');
  }
  return { nonce };
}

/**
 * RFC 7636 §4.3, §4.4.1; RFC 9700 §2.1.1, FAPI 2.0 Security Profile §5.3.2.2: public clients and those of the profile
 * must use it, and `plain` is rejected. Prevents PKCE downgrade.
 */
function readPkce(params: Params, client: RequestingClient, { response_type = '' }: Reading): Reading {
  const code_challenge = params.get('code_challenge') ?? '';
  const code_challenge_method = params.get('code_challenge_method') ?? '';
  const bringsCode = words(response_type).includes('code');
  if (code_challenge === '') {
    if (code_challenge_method !== '') throw new OAuthError('invalid_request', 'code_challenge is required.');
    if (bringsCode && (client.client_type === 'public' || isFapi2(client))) {
      throw new OAuthError('invalid_request', 'This client must use PKCE: code_challenge is required.');
    }
    return { code_challenge, code_challenge_method };
  }
  if (code_challenge_method !== 'S256') {
    throw new OAuthError('invalid_request', 'code_challenge_method must be S256.');
  }
  // A SHA-256 hash in base64url, no more and no less.
  if (!/^[\w-]{43}$/.test(code_challenge))
    throw new OAuthError('invalid_request', 'code_challenge is not an S256 challenge.');
  return { code_challenge, code_challenge_method };
}

/** OpenID Connect Core §5.5: other members are ignored. */
function readClaims(params: Params, { scopes }: RequestingClient): Reading {
  const text = params.get('claims');
  if (text === undefined) return { claims: null };
  const claims = parsedObject(text);
  const parts = [claims?.userinfo, claims?.id_token];
  if (!claims || !parts.every((part) => part === undefined || part === null || isJsonObject(part))) {
    throw new OAuthError('invalid_request', 'claims must be a JSON object of objects.');
  }
  return {
    claims: availableClaims(
      claims,
      scopes.map(({ scope_name }) => scope_name),
    ),
  };
}

/** OpenID Connect Core §5.5.1.1: an essential acr that is not supported fails authentication. */
function checkAcr(_params: Params, _client: RequestingClient, { claims }: Reading): Reading {
  // Clients write it: each member is checked below.
  const { acr } = (claims?.id_token ?? {}) as {
    acr?: { essential?: unknown; value?: unknown; values?: unknown } | null;
  };
  if (acr?.essential !== true) return {};
  const wanted = [acr.value, acr.values].flat().filter((value) => value !== undefined);
  if (wanted.length > 0 && !wanted.includes(defaultAcr)) {
    throw new OAuthError('unmet_authentication_requirements', 'The requested acr values are not supported.');
  }
  return {};
}

const maxClaimsLength = 10_000;

function parsedObject(text: string): NonNullable<AuthorizeRequest['claims']> | null {
  try {
    const value: unknown = text.length > maxClaimsLength ? null : JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    // JSON.parse throws for invalid JSON.
    return null;
  }
}

function readResources(params: Params, client: RequestingClient): Reading {
  return { resource: checkResource(params.all('resource'), client) };
}

function readDpopKey(params: Params): Reading {
  const dpop_jkt = params.get('dpop_jkt') ?? null;
  if (dpop_jkt !== null && !/^[\w-]{43}$/.test(dpop_jkt)) {
    throw new OAuthError('invalid_request', 'dpop_jkt is not a JWK thumbprint.');
  }
  return { dpop_jkt };
}
