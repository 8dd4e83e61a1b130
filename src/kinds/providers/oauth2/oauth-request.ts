import { isDeeperThan } from '../../../lib/json.ts';
import { parseJsonBytes } from '../../../lib/parse-json-bytes.ts';
import { readForm } from '../../../lib/read-form.ts';
import { type HttpCall, type HttpResponse, json } from '../../../platform/http/routes.ts';
import { standardAlgorithms } from '../../../provider/workload/verify-assertion.ts';
import type { Call } from '../../../resource/call.ts';
import { OAuthError } from './oauth-error.ts';
import { type Params, parseParams } from './params.ts';
import { isOriginOf, type RedirectUri } from './redirect-uris.ts';
import { toOAuthError } from './to-oauth-error.ts';

/** One request to an endpoint of the protocol. */
export interface OAuthRequest {
  readonly call: Call;
  /** From the body, or from the query if there is none. */
  readonly params: Params;
  /** Sets the client of the request: pages of its origins may then read the response (CORS). */
  allowOriginsOf(client: { readonly redirect_uris: readonly RedirectUri[] }): void;
}

/** Text is sent as it is, anything else as JSON. */
export interface OAuthResponse {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** What went wrong inside; for the log. */
  readonly fault?: unknown;
}

export type OAuthEndpoint = (exchange: OAuthRequest) => Promise<OAuthResponse>;

/** A path below `/application/o/`, or an absolute one with a leading slash. Body sizes are checked before parsing. */
export type Route = readonly [
  methods: readonly ('GET' | 'POST')[],
  path: string,
  endpoint: OAuthEndpoint,
  maxBodyBytes?: number,
];

/** RFC 6749 §5.1 */
const unshared = { 'cache-control': 'no-store', pragma: 'no-cache', vary: 'Origin' };

/** The only place that writes responses of the protocol, apart from redirects of the authorize endpoint. */
export async function handleOAuthRequest(
  http: HttpCall,
  call: Call,
  endpoint: OAuthEndpoint,
  maxBodyBytes?: number,
): Promise<HttpResponse> {
  let readers: readonly RedirectUri[] = [];
  const allowOriginsOf: OAuthRequest['allowOriginsOf'] = ({ redirect_uris }) => {
    readers = redirect_uris;
  };
  const answer = await answerOf(http, async () => {
    checkSize(http, maxBodyBytes);
    return endpoint({ call, params: readParams(http), allowOriginsOf });
  });
  const { status, body, headers, fault } = answer;
  const origin = http.facts.header('origin');
  const isShared = origin !== undefined && isOriginOf(origin, readers);
  const shared = isShared
    ? { ...unshared, 'access-control-allow-origin': origin, 'access-control-expose-headers': 'WWW-Authenticate' }
    : unshared;
  if (body === undefined) return { status, headers: { ...shared, ...headers } };
  if (typeof body === 'string') return { status, headers: { ...shared, 'content-type': plainText, ...headers }, body };
  return { ...json(status, body, { ...shared, ...headers }), fault };
}

const plainText = 'text/plain; charset=utf-8';

async function answerOf(http: HttpCall, work: () => Promise<OAuthResponse>): Promise<OAuthResponse> {
  try {
    return await work();
  } catch (error) {
    const { refusal, fault } = toOAuthError(error);
    // Internal errors are not disclosed; the request id identifies the log entry.
    const body = refusal.code === 'server_error' ? { ...refusal.body(), request_id: http.facts.id } : refusal.body();
    return { status: refusal.status, body, headers: { ...challengeOf(refusal, http), ...refusal.headers }, fault };
  }
}

/** RFC 6749 §5.2, RFC 6750 §3, RFC 9449 §7.1: how the client could have proven itself. */
function challengeOf(refusal: OAuthError, { facts }: HttpCall): Record<string, string> {
  const { code } = refusal;
  if (code === 'invalid_client') return { 'www-authenticate': 'Basic realm="gatehouse"' };
  const isAboutToken = code === 'invalid_token' || code === 'insufficient_scope';
  if (!isAboutToken && !(code === 'invalid_dpop_proof' && refusal.status === 401)) return {};
  const { error, error_description } = refusal.body();
  const says = `error="${error}", error_description="${error_description}"`;
  const isBound = /^dpop\s/i.test(facts.header('authorization') ?? '');
  return {
    'www-authenticate': isBound
      ? `DPoP ${says}, algs="${standardAlgorithms.join(' ')}"`
      : `Bearer realm="gatehouse", ${says}`,
  };
}

/** RFC 9126 §2.3 */
function checkSize({ body }: HttpCall, largest = Number.POSITIVE_INFINITY): void {
  if (body.length <= largest) return;
  throw new OAuthError('invalid_request', `The request is too large: at most ${largest} bytes.`, { status: 413 });
}

function readParams({ facts, body }: HttpCall): Params {
  if (facts.method === 'GET' || facts.method === 'HEAD') return parseParams(facts.query);
  if (body.length === 0) return parseParams('');
  const type = facts.header('content-type') ?? '';
  // As nearly all clients write it.
  if (type === formType || isForm(type)) return parseParams(readForm(body));
  // Only a registration is JSON, and that has no parameters.
  if (isJson(type)) return parseParams('');
  throw new OAuthError('invalid_request', `The request body must be ${formType}.`);
}

const formType = 'application/x-www-form-urlencoded';
const isForm = (type: string) => /^application\/x-www-form-urlencoded\s*(;|$)/i.test(type);
const isJson = (type: string) => /^application\/json\s*(;|$)/i.test(type);
const maxBodyDepth = 10;

/** The body of a request that is JSON. */
export function readJson({ facts, body: bytes }: HttpCall): unknown {
  if (bytes.length === 0 || !isJson(facts.header('content-type') ?? '')) {
    throw new OAuthError('invalid_request', 'The request body must be application/json.');
  }
  try {
    const body = parseJsonBytes(bytes);
    if (!isDeeperThan(body, maxBodyDepth)) return body;
  } catch {
    // The decoder throws for malformed text.
  }
  throw new OAuthError('invalid_request', 'The body cannot be read.');
}
