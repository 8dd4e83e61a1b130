import { asText } from '../../../../lib/json.ts';
import { type Client, secretsOf } from '../client.ts';
import { OAuthError } from '../oauth-error.ts';
import { type Params, parseParams } from '../params.ts';
import { algorithmsOf, isFapi2 } from '../security-profile.ts';
import { keysTrustedBy } from '../trusted-keys.ts';
import { issuerOf } from '../urls.ts';
import type { AuthorizeDependencies } from './dependencies.ts';

const maxObjectLength = 32_768;
const secretAlgorithms = ['HS256', 'HS384', 'HS512'];

/** For the discovery document. */
export const requestObjectAlgorithms = (client: Pick<Client, 'security_profile'>): string[] =>
  isFapi2(client) ? algorithmsOf(client) : [...secretAlgorithms, ...algorithmsOf(client)];

/**
 * The parameters inside a signed request (RFC 9101), by the client's secret, its keys or those of its JWKS sources.
 * Whatever is not signed is refused: it would protect nothing.
 */
export async function openRequestObject(
  needs: Pick<AuthorizeDependencies, 'db' | 'publicUrl' | 'remoteKeys' | 'keySets'>,
  client: Client,
  object: string,
  now: string,
): Promise<Params> {
  const claims = object.length > maxObjectLength ? null : await verified(needs, client, object, now);
  if (!claims) throw new OAuthError('invalid_request_object', 'The request object cannot be verified.');
  // RFC 9101 §4, §5.2: its client_id must be this client, and it must not contain another request object.
  if (claims.client_id !== client.client_id || claims.request !== undefined || claims.request_uri !== undefined) {
    throw new OAuthError('invalid_request_object', 'The request object was not issued by this client.');
  }
  if (isFapi2(client)) checkLifetime(claims, now);
  return parseParams(asForm(claims));
}

const maxLifetimeSeconds = 60 * 60;

/** FAPI 2.0 Message Signing §5.3.1: `nbf` at most 60 minutes ago, and `exp` at most 60 minutes after it. */
function checkLifetime({ exp, nbf }: JwtClaims, now: string): void {
  const isShort =
    typeof exp === 'number' &&
    typeof nbf === 'number' &&
    exp - nbf <= maxLifetimeSeconds &&
    Date.parse(now) / 1000 - nbf <= maxLifetimeSeconds;
  if (isShort) return;
  throw new OAuthError(
    'invalid_request_object',
    'The request object needs nbf, at most 60 minutes ago, and exp, at most 60 minutes after nbf.',
  );
}

/** The refusal of a request that the client had to sign (RFC 9101 §10.5), or null. */
export const unsignedRefusal = (
  { require_signed_request_object }: Pick<Client, 'require_signed_request_object'>,
  object: string | undefined,
): OAuthError | null =>
  require_signed_request_object && object === undefined
    ? new OAuthError('invalid_request', 'This client must sign its requests (RFC 9101): send a request object.')
    : null;

type JwtClaims = Readonly<Record<string, unknown>>;

async function verified(
  needs: Pick<AuthorizeDependencies, 'db' | 'publicUrl' | 'remoteKeys' | 'keySets'>,
  client: Client,
  object: string,
  now: string,
): Promise<JwtClaims | null> {
  const { createLocalJWKSet, errors, jwtVerify } = await import('jose');
  const { publicUrl } = needs;
  const { assigned_application_slug, issuer_mode } = client;
  const options = {
    issuer: client.client_id,
    audience: [issuerOf(publicUrl, assigned_application_slug, issuer_mode), `${publicUrl}/`, publicUrl],
    currentDate: new Date(now),
    clockTolerance: 30,
  };
  const attempts: (() => Promise<{ payload: JwtClaims }>)[] = (await keysTrustedBy(needs, client, object, now)).map(
    ({ jwks }) =>
      () =>
        jwtVerify(object, createLocalJWKSet(JSON.parse(jwks)), { ...options, algorithms: algorithmsOf(client) }),
  );
  if (client.client_type === 'confidential' && !isFapi2(client)) {
    const secrets = secretsOf(client, now).map((secret) => new TextEncoder().encode(secret));
    attempts.unshift(
      ...secrets.map((secret) => () => jwtVerify(object, secret, { ...options, algorithms: secretAlgorithms })),
    );
  }
  for (const attempt of attempts) {
    try {
      return (await attempt()).payload;
    } catch (error) {
      // Not signed by this key, or invalid. Try the next key.
      if (!(error instanceof errors.JOSEError) && !(error instanceof TypeError)) throw error;
    }
  }
  return null;
}

/** RFC 9101 §4: claims may be numbers and objects, parameters are text. */
function asForm(claims: JwtClaims): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(claims)) {
    const values = name === 'resource' && Array.isArray(value) ? value : [value];
    for (const one of values) form.append(name, asText(one));
  }
  return form.toString();
}
