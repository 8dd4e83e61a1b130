import type { Call } from '../../../../resource/call.ts';
import { type Client, loadClient } from '../client.ts';
import { OAuthError } from '../oauth-error.ts';
import { type Params, parseParams } from '../params.ts';
import { findRequest } from '../requests.ts';
import { isFapi2 } from '../security-profile.ts';
import type { ResponseTarget } from './authorize-request.ts';
import type { AuthorizeDependencies } from './dependencies.ts';
import { isRegisteredRedirectUri } from './match-redirect-uri.ts';
import { openRequestObject, unsignedRefusal } from './request-object.ts';
import { errorResponseMode } from './steps.ts';

export const pushedPrefix = 'urn:ietf:params:oauth:request_uri:';

/** Anybody can name an address; a page full of it helps nobody. */
const maxShownLength = 500;

export interface IdentifiedClient {
  readonly client: Client;
  /** Those that count: from the query, from a request object, or as they were pushed. */
  readonly params: Params;
  readonly to: ResponseTarget;
  /** The key of the pushed request. */
  readonly pushed: string | null;
  /** What is wrong with the parameters, as far as it does not matter to who is told. */
  readonly flaw: OAuthError | null;
}

/** Those that say who asks, and where and how they are answered. */
const addressing: ReadonlySet<string> = new Set([
  'client_id',
  'redirect_uri',
  'state',
  'response_mode',
  'response_type',
  'request',
  'request_uri',
]);

/** Who asks, and where they are answered. Until both are proven nobody is sent anywhere: what is thrown here is shown to the person. */
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
  const client = await loadClient(needs, { clientId: given.require('client_id') });
  if (!client) throw new OAuthError('invalid_client', 'There is no such client.', { status: 400 });
  const { params, pushed } = await expand(needs, given, client, call.now);
  const redirect_uri = params.require('redirect_uri');
  if (!isRegisteredRedirectUri(needs.sandbox, client, redirect_uri)) {
    await needs.refusals.wrongRedirect(call, client, redirect_uri);
    throw new OAuthError('invalid_request', 'The redirect_uri is not one of the client.', {
      shown: [
        `The request named this redirect address: ${redirect_uri.slice(0, maxShownLength)}`,
        'Whoever runs this server can compare it with the redirect URIs of the provider.',
      ],
    });
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
  if (object !== undefined) throw new OAuthError('invalid_request', 'request and request_uri exclude each other.');
  // Nothing is fetched from anywhere for a stranger.
  if (!uri.startsWith(pushedPrefix)) {
    throw new OAuthError('request_uri_not_supported', 'Only requests that were pushed can be named.');
  }
  const found = await findRequest(needs.db.read, needs.key, 'par', uri.slice(pushedPrefix.length));
  if (found?.provider !== client.pk || found.expires <= now) {
    throw new OAuthError('invalid_request_uri', 'There is no such request, or not any more.');
  }
  return { params: parseParams(String(found.content.params)), pushed: found.pk };
}
