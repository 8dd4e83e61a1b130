import { isJsonObject } from '../../../lib/json.ts';
import { isKeySet } from '../../../platform/fetch/remote-keys.ts';
import { jwksComplaint } from './client-keys.ts';
import { type GrantType, grantTypes } from './grant-types.ts';
import { usualScopes } from './install-defaults.ts';
import { OAuthError } from './oauth-error.ts';
import { words } from './params.ts';

/** As much of a client's description of itself (RFC 7591 §2) as means something here. */
export interface ClientMetadata {
  readonly client_name: string;
  readonly client_uri?: string;
  readonly redirect_uris: readonly string[];
  readonly grant_types: readonly GrantType[];
  readonly response_types: readonly string[];
  readonly token_endpoint_auth_method: (typeof authMethods)[number];
  readonly scope: readonly string[];
  readonly post_logout_redirect_uris: readonly string[];
  readonly backchannel_logout_uri?: string;
  readonly frontchannel_logout_uri?: string;
  readonly jwks?: Readonly<Record<string, unknown>>;
  readonly jwks_uri?: string;
  /** RFC 9101 §10.5 */
  readonly require_signed_request_object?: boolean;
}

const authMethods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'] as const;
const maxNameLength = 100;
const maxUris = 50;

const refuse = (text: string) => new OAuthError('invalid_client_metadata', text);

/** Unknown members are ignored (RFC 7591 §2); known members must be valid. */
export function readMetadata(body: unknown): ClientMetadata {
  if (!isJsonObject(body)) throw refuse('A JSON object is expected.');
  const given = body;
  const grants = readGrantTypes(given);
  const redirectUris = readUris(given, 'redirect_uris');
  const needsUris = grants.some((type) => type === 'authorization_code' || type === 'implicit' || type === 'hybrid');
  if (needsUris && redirectUris.length === 0) {
    throw new OAuthError('invalid_redirect_uri', 'redirect_uris is missing.');
  }
  const method = readText(given, 'token_endpoint_auth_method') ?? 'client_secret_basic';
  const authMethod = authMethods.find((known) => known === method);
  if (!authMethod) throw refuse(`token_endpoint_auth_method must be one of ${authMethods.join(', ')}.`);
  const jwks = readJwks(given);
  if (authMethod === 'private_key_jwt' && !jwks && given.jwks_uri === undefined) {
    throw refuse('private_key_jwt needs the keys of the client, in jwks or at jwks_uri.');
  }
  const optional = ['client_uri', 'backchannel_logout_uri', 'frontchannel_logout_uri', 'jwks_uri'] as const;
  return {
    client_name: (readText(given, 'client_name') ?? 'Registered client').slice(0, maxNameLength),
    redirect_uris: redirectUris,
    grant_types: grants,
    response_types: grants.includes('authorization_code') ? ['code'] : [],
    token_endpoint_auth_method: authMethod,
    scope: words(readText(given, 'scope') ?? usualScopes.join(' ')),
    post_logout_redirect_uris: readUris(given, 'post_logout_redirect_uris'),
    ...Object.fromEntries(
      optional.flatMap((name) => (given[name] === undefined ? [] : [[name, readUri(given, name)]])),
    ),
    ...(jwks && { jwks }),
    ...readFlag(given, 'require_signed_request_object'),
  };
}

function readFlag(given: Record<string, unknown>, name: string): Record<string, boolean> {
  const value = given[name];
  if (value === undefined) return {};
  if (typeof value !== 'boolean') throw refuse(`${name} must be true or false.`);
  return { [name]: value };
}

function readGrantTypes(given: Record<string, unknown>): GrantType[] {
  const asked = readTexts(given, 'grant_types') ?? ['authorization_code'];
  return asked.map((text) => {
    const type = grantTypes.find((known) => known === text);
    if (!type) throw refuse(`There is no grant type ${text.slice(0, 80)}.`);
    return type;
  });
}

function readJwks({ jwks }: Record<string, unknown>): Record<string, unknown> | undefined {
  if (jwks === undefined) return undefined;
  const complaint = isKeySet(jwks) ? jwksComplaint(jwks) : 'A JWK Set with at least one key is expected.';
  if (complaint !== null) throw refuse(`jwks: ${complaint}`);
  // `isKeySet` has checked it.
  return jwks as Record<string, unknown>;
}

function readText(given: Record<string, unknown>, name: string): string | undefined {
  const value = given[name];
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string' || value.includes('\u0000')) throw refuse(`${name} must be text.`);
  return value.toWellFormed();
}

function readTexts(given: Record<string, unknown>, name: string): string[] | undefined {
  const value = given[name];
  if (value === undefined) return undefined;
  const isList = Array.isArray(value) && value.length <= maxUris && value.every((one) => typeof one === 'string');
  if (!isList) throw refuse(`${name} must be a list of texts.`);
  return value.map((one: string) => one.toWellFormed());
}

/** RFC 6749 §3.1.2: absolute, and without a fragment. */
function readUris(given: Record<string, unknown>, name: string): string[] {
  const uris = readTexts(given, name) ?? [];
  const broken = uris.find((uri) => !URL.canParse(uri) || uri.includes('#') || uri.includes('\u0000'));
  if (broken === undefined) return uris;
  throw new OAuthError('invalid_redirect_uri', `${name} must be an absolute URI without a fragment.`);
}

function readUri(given: Record<string, unknown>, name: string): string {
  const text = readText(given, name) ?? '';
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') throw refuse(`${name} must be a web address.`);
  return text;
}
