import { addMilliseconds } from '../../../../platform/clock.ts';
import { randomToken } from '../../../../platform/random.ts';
import type { Call } from '../../../../resource/call.ts';
import type { Client } from '../client.ts';
import { authenticateClient } from '../client-authentication.ts';
import type { OAuthDependencies } from '../dependencies.ts';
import { readDpopProof } from '../dpop.ts';
import { OAuthError } from '../oauth-error.ts';
import type { OAuthEndpoint } from '../oauth-request.ts';
import { type Params, parseParams } from '../params.ts';
import { checkAnonymousQuota, storeRequest } from '../requests.ts';
import { pushedPrefix } from './identify-client.ts';
import { isRegisteredRedirectUri } from './match-redirect-uri.ts';
import { openRequestObject, unsignedRefusal } from './request-object.ts';
import { parseAuthorizeRequest } from './steps.ts';

/** Long enough to sign in; less than ten minutes (FAPI 2.0 Security Profile §5.3.2.2). */
const lifetimeSeconds = 590;
/** Client authentication parameters are not part of the authorization request. */
const credentials: ReadonlySet<string> = new Set(['client_secret', 'client_assertion', 'client_assertion_type']);

/** The maximum length of its parameters in characters; request URLs are shorter. */
const maxRequestLength = 32_768;
/** Bytes of the body, with the client's proof; larger ones are not parsed. */
export const maxPushBytes = 49_152;

/**
 * The pushed authorization request endpoint (RFC 9126): the same checks, with errors returned to the client directly.
 */
export function pushEndpoint(needs: OAuthDependencies): OAuthEndpoint {
  return async (exchange) => {
    const { call } = exchange;
    const { client, method } = await authenticateClient(needs, exchange);
    if (method === 'workload') throw new OAuthError('invalid_client', 'Workloads cannot push authorization requests.');
    const jkt = await readDpopProof(needs, call, { client, method });
    const params = withKey(await pushedParams(needs, client, exchange.params, call.now), jkt);
    await checkRequest(needs, call, client, params);
    const content = { params: formOf(params.entries()) };
    // What was signed may be longer as a form.
    if (content.params.length > maxRequestLength) throw new OAuthError('invalid_request', 'The request is too long.');
    await checkAnonymousQuota(call, 'oauth2_requests', method);
    const id = randomToken();
    await call.db.write((tx) =>
      storeRequest(tx, needs.key, {
        purpose: 'par',
        id,
        provider: client.pk,
        content,
        now: call.now,
        expires: addMilliseconds(call.now, lifetimeSeconds * 1000),
      }),
    );
    return { status: 201, body: { request_uri: `${pushedPrefix}${id}`, expires_in: lifetimeSeconds } };
  };
}

async function pushedParams(needs: OAuthDependencies, client: Client, given: Params, now: string): Promise<Params> {
  // RFC 9126 §2.1
  if (given.get('request_uri') !== undefined)
    throw new OAuthError('invalid_request', 'request_uri is not allowed in a pushed request.');
  const object = given.get('request');
  const unsigned = unsignedRefusal(client, object);
  if (unsigned) throw unsigned;
  if (object !== undefined) return openRequestObject(needs, client, object, now);
  const asked = given.entries().filter(([name]) => !credentials.has(name) && name !== 'client_id');
  return parseParams(formOf([['client_id', client.client_id], ...asked]));
}

/** RFC 9449 §10.1: a proof binds the code to its key. */
function withKey(params: Params, jkt: string | null): Params {
  if (jkt === null) return params;
  const named = params.get('dpop_jkt');
  if (named !== undefined && named !== jkt) {
    throw new OAuthError('invalid_dpop_proof', 'dpop_jkt does not match the key of the DPoP proof.');
  }
  return named === jkt ? params : parseParams(formOf([...params.entries(), ['dpop_jkt', jkt]]));
}

async function checkRequest(
  { sandbox, refusals }: OAuthDependencies,
  call: Call,
  client: Client,
  params: Params,
): Promise<void> {
  const redirect_uri = params.require('redirect_uri');
  if (!isRegisteredRedirectUri(sandbox, client, redirect_uri)) {
    await refusals.wrongRedirect(call, client, 'redirect_uri', redirect_uri);
    throw new OAuthError('invalid_request', 'redirect_uri is not registered for this client.');
  }
  const state = params.get('state') ?? null;
  parseAuthorizeRequest(params, client, { client_id: client.client_id, redirect_uri, state, pushed: null });
}

const formOf = (entries: readonly (readonly [string, string])[]): string =>
  new URLSearchParams(entries.map(([name, value]) => [name, value])).toString();
