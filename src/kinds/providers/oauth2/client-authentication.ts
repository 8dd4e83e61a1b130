import { equalInConstantTime } from '../../../lib/constant-time.ts';
import type { Workload } from '../../../provider/workload/verify-assertion.ts';
import type { Call } from '../../../resource/call.ts';
import { type Client, isServedAt, loadClient, secretsOf } from './client.ts';
import { type Assertion, assertionType, checkAssertion } from './client-assertion.ts';
import type { OAuthDependencies } from './dependencies.ts';
import { OAuthError } from './oauth-error.ts';
import type { OAuthRequest } from './oauth-request.ts';
import type { Params } from './params.ts';
import { isFapi2 } from './security-profile.ts';

/** How a client has proven itself. */
export interface AuthenticatedClient {
  readonly client: Client;
  readonly method: 'client_secret_basic' | 'client_secret_post' | 'none' | 'private_key_jwt' | 'workload';
  /** What a workload of the client's (not the client itself) proved to be; only with that method. */
  readonly workload?: Workload;
}

/** The ways in which clients prove themselves, for the discovery document. */
export const clientAuthenticationMethods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'];

type Credentials =
  | {
      readonly method: 'client_secret_basic' | 'client_secret_post';
      readonly clientId: string;
      /** All possible decodings. */
      readonly secrets: readonly string[];
    }
  | { readonly method: 'none'; readonly clientId: string }
  | { readonly method: 'assertion'; readonly clientId: string; readonly assertion: string };

/** Authenticates the client. Throws `invalid_client` if that fails. */
export async function authenticateClient(
  needs: OAuthDependencies,
  exchange: OAuthRequest,
): Promise<AuthenticatedClient> {
  const { call, params } = exchange;
  const credentials = readCredentials(call, params);
  const who = `client ${credentials.clientId}`;
  needs.failures.check(call, who);
  const client = await loadClient(needs, { clientId: credentials.clientId });
  const proof = client && (await provenBy(needs, call, client, credentials));
  // FAPI 2.0 Security Profile §5.3.2.1
  if (!client || !isServedAt(client, call) || !proof || (isFapi2(client) && proof.method !== 'private_key_jwt')) {
    needs.failures.count(call, who);
    // The same error for unknown clients, against enumeration.
    throw new OAuthError('invalid_client', 'Client authentication failed.');
  }
  exchange.allowOriginsOf(client);
  if (proof.method !== 'none') call.world.raiseBudget();
  const { secret, ...how } = proof;
  // During an overlap, HS256 signatures use the secret that the client authenticated with.
  return { client: secret === undefined ? client : { ...client, client_secret: secret }, ...how };
}

/** Confidential clients only, for what public ones have no business with. */
export function requireConfidential({ client, method }: AuthenticatedClient): void {
  if (client.client_type === 'public' || method === 'none') {
    throw new OAuthError('unauthorized_client', 'Only confidential clients may use this endpoint.');
  }
}

async function provenBy(
  needs: OAuthDependencies,
  call: Call,
  client: Client,
  credentials: Credentials,
): Promise<(Pick<AuthenticatedClient, 'method' | 'workload'> & { readonly secret?: string }) | null> {
  switch (credentials.method) {
    case 'none':
      return client.client_type === 'public' ? { method: 'none' } : null;
    case 'assertion': {
      const assertion: Assertion | null = await checkAssertion(needs, call, client, credentials.assertion);
      if (!assertion) return null;
      return assertion.workload === null
        ? { method: 'private_key_jwt' }
        : { method: 'workload', workload: assertion.workload };
    }
    default: {
      const { method, secrets } = credentials;
      const secret = secretsOf(client, call.now).find((one) =>
        secrets.some((given) => equalInConstantTime(one, given)),
      );
      return secret === undefined ? null : { method, secret };
    }
  }
}

/** RFC 6749 §2.3: a client uses one method in a request, never two. */
function readCredentials(call: Call, params: Params): Credentials {
  const basic = readBasic(call.request.header('authorization'));
  const clientId = params.get('client_id');
  const secret = params.get('client_secret');
  const assertion = params.get('client_assertion');
  const used = [basic, secret, assertion].filter((given) => given !== undefined && given !== null);
  if (used.length > 1)
    throw new OAuthError('invalid_request', 'The request uses more than one client authentication method.');
  if (basic) {
    if (clientId !== undefined && clientId !== basic.clientId) {
      throw new OAuthError('invalid_request', 'client_id does not match the authenticated client.');
    }
    return { method: 'client_secret_basic', ...basic };
  }
  if (assertion !== undefined) {
    if (params.get('client_assertion_type') !== assertionType) {
      throw new OAuthError('invalid_request', `client_assertion_type must be ${assertionType}.`);
    }
    return { method: 'assertion', clientId: clientId ?? unverifiedSubject(assertion), assertion };
  }
  if (clientId === undefined) throw new OAuthError('invalid_client', 'Client authentication failed.');
  return secret === undefined
    ? { method: 'none', clientId }
    : { method: 'client_secret_post', clientId, secrets: [secret] };
}

/**
 * RFC 6749 §2.3.1: both parts are form-encoded before they are joined. Many clients leave that out, so either will do.
 */
function readBasic(header: string | undefined): { clientId: string; secrets: string[] } | null {
  const [, encoded] = /^basic +([A-Za-z0-9+/=_-]+)$/i.exec(header?.trim() ?? '') ?? [];
  if (encoded === undefined) return null;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon === -1 || text.includes('\u0000')) {
    throw new OAuthError('invalid_client', 'The Authorization header is malformed.');
  }
  const [clientId, secret] = [text.slice(0, colon), text.slice(colon + 1)];
  return { clientId: formDecode(clientId) ?? clientId, secrets: [formDecode(secret) ?? secret, secret] };
}

function formDecode(text: string): string | null {
  if (!/[%+]/.test(text)) return text;
  try {
    const decoded = decodeURIComponent(text.replaceAll('+', ' '));
    return decoded.includes('\u0000') ? null : decoded;
  } catch {
    // decodeURIComponent throws for malformed escapes.
    return null;
  }
}

/** Whom an assertion claims to come from, to find the keys by which to check it. */
function unverifiedSubject(assertion: string): string {
  try {
    const { sub } = JSON.parse(Buffer.from(assertion.split('.')[1] ?? '', 'base64url').toString('utf8'));
    if (typeof sub === 'string' && !sub.includes('\u0000')) return sub;
  } catch {
    // No JSON, no client.
  }
  throw new OAuthError('invalid_client', 'Client authentication failed.');
}
