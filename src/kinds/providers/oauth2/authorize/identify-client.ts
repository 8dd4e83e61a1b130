import type { Call } from '../../../../resource/call.ts';
import { type Client, isServedAt, loadClient } from '../client.ts';
import { OAuthError } from '../oauth-error.ts';
import { type Params, parseParams } from '../params.ts';
import { findRequest } from '../requests.ts';
import { isFapi2 } from '../security-profile.ts';
import type { ResponseTarget } from './authorize-request.ts';
import type { AuthorizeDependencies } from './dependencies.ts';
import { isRegisteredRedirectUri } from './match-redirect-uri.ts';
import { RefusedRequest } from './refused-request.ts';
import { openRequestObject, unsignedRefusal } from './request-object.ts';
import { errorResponseMode } from './steps.ts';

export const pushedPrefix = 'urn:ietf:params:oauth:request_uri:';

export interface IdentifiedClient {
  readonly client: Client;
  /** Those that count: from the query, from a request object, or as they were pushed. */
  readonly params: Params;
  readonly to: ResponseTarget;
  /** The key of the pushed request. */
  readonly pushed: string | null;
  /** Errors in the parameters that can be sent to the client. */
  readonly flaw: OAuthError | null;
}

/** Parameters that identify the client and where and how to respond. */
const addressing: ReadonlySet<string> = new Set([
  'client_id',
  'redirect_uri',
  'state',
  'response_mode',
  'response_type',
  'request',
  'request_uri',
]);

/**
 * Verifies client and redirect URI. Until then nothing is redirected (open redirect): errors thrown here are shown to
 * the user.
 */
export async function identifyClient(
  needs: AuthorizeDependencies,
  call: Call,
  text: string,
): Promise<IdentifiedClient> {
  const flaws: OAuthError[] = [];
  const given = parseParams(text, (flaw, name) => {
    if (addressing.has(name)) throw flaw;
    flaws.push(flaw);
  });
  const client = await loadClient(needs, { clientId: given.get('client_id') ?? '' });
  if (!client || !isServedAt(client, call))
    throw new OAuthError('invalid_client', 'Unknown client_id.', { status: 400 });
  try {
    return await identify(needs, call, { client, given, flaws });
  } catch (error) {
    throw error instanceof OAuthError && !(error instanceof RefusedRequest)
      ? new RefusedRequest(error, client, null)
      : error;
  }
}

interface Received {
  readonly client: Client;
  readonly given: Params;
  readonly flaws: OAuthError[];
}

async function identify(
  needs: AuthorizeDependencies,
  call: Call,
  { client, given, flaws }: Received,
): Promise<IdentifiedClient> {
  const { params, pushed } = await expand(needs, given, client, call.now);
  const redirect_uri = params.require('redirect_uri');
  if (!isRegisteredRedirectUri(needs.sandbox, client, redirect_uri)) {
    await needs.refusals.wrongRedirect(call, client, 'redirect_uri', redirect_uri);
    const refusal = new OAuthError('invalid_request', 'redirect_uri is not registered for this client.');
    throw new RefusedRequest(refusal, client, redirect_uri);
  }
  const to = { redirect_uri, response_mode: errorResponseMode(params), state: params.get('state') ?? null };
  // FAPI 2.0 Security Profile §5.3.2.2
  if (pushed === null && isFapi2(client)) {
    flaws.unshift(new OAuthError('invalid_request', 'This client must push its requests (RFC 9126).'));
  }
  const unsigned = pushed === null ? unsignedRefusal(client, given.get('request')) : null;
  if (unsigned) flaws.unshift(unsigned);
  return { client, params, to, pushed, flaw: flaws[0] ?? null };
}

/** RFC 9126 §4, RFC 9101 §6.3: parameters that were pushed or signed count alone. */
async function expand(
  needs: AuthorizeDependencies,
  given: Params,
  client: Client,
  now: string,
): Promise<{ params: Params; pushed: string | null }> {
  const object = given.get('request');
  const uri = given.get('request_uri');
  if (uri === undefined) {
    return { params: object === undefined ? given : await openRequestObject(needs, client, object, now), pushed: null };
  }
  if (object !== undefined) throw new OAuthError('invalid_request', 'request and request_uri cannot be combined.');
  // Never fetched from elsewhere (SSRF).
  if (!uri.startsWith(pushedPrefix)) {
    throw new OAuthError('request_uri_not_supported', 'request_uri must come from a pushed authorization request.');
  }
  const found = await findRequest(needs.db.read, needs.key, 'par', uri.slice(pushedPrefix.length));
  if (found?.provider !== client.pk || found.expires <= now) {
    throw new OAuthError('invalid_request_uri', 'request_uri is invalid or expired.');
  }
  return { params: parseParams(String(found.content.params)), pushed: found.pk };
}
