import type { FastifyReply, FastifyRequest } from 'fastify';
import { isDeeperThan } from '../../../lib/json.ts';
import { isUnreachable } from '../../../platform/db/unreachable.ts';
import { PasswordQueueFull } from '../../../platform/passwords.ts';
import type { Call } from '../../../resource/call.ts';
import { OAuthError } from './oauth-error.ts';
import { type Params, parseParams } from './params.ts';
import { isOriginOf, type RedirectUri } from './redirect-uris.ts';

/** One request to an endpoint of the protocol. */
export interface Exchange {
  readonly call: Call;
  /** Of the body, or of the query when there is none. */
  readonly params: Params;
  /** Says whose request it is: pages of that client's origins may then read the answer. */
  isOf(client: { readonly redirect_uris: readonly RedirectUri[] }): void;
}

/** Text is sent as it is, anything else as JSON. */
export interface OAuthAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export type OAuthEndpoint = (exchange: Exchange) => Promise<OAuthAnswer>;

/** A path below `/application/o/`, or one of its own when it begins with a slash. */
export type Route = readonly [methods: readonly ('GET' | 'POST')[], path: string, endpoint: OAuthEndpoint];

/** RFC 6749 §5.1 */
const unstored = { 'cache-control': 'no-store', pragma: 'no-cache' };

/** The one place where the protocol's answers are written, but for the redirects of the authorize endpoint. */
export async function answerOAuth(
  request: FastifyRequest,
  reply: FastifyReply,
  call: Call,
  endpoint: OAuthEndpoint,
): Promise<FastifyReply> {
  let readers: readonly RedirectUri[] = [];
  const isOf: Exchange['isOf'] = ({ redirect_uris }) => {
    readers = redirect_uris;
  };
  const answer = await answerOf(request, async () => endpoint({ call, params: readParams(request), isOf }));
  const { status, body, headers = {} } = answer;
  reply.code(status).headers({ ...unstored, vary: 'Origin', ...headers });
  const { origin } = request.headers;
  if (origin !== undefined && isOriginOf(origin, readers)) {
    reply.headers({ 'access-control-allow-origin': origin, 'access-control-expose-headers': 'WWW-Authenticate' });
  }
  if (body === undefined || typeof body === 'string') return reply.send(body);
  if (!headers['content-type']) reply.header('content-type', 'application/json');
  return reply.send(JSON.stringify(body));
}

async function answerOf(request: FastifyRequest, work: () => Promise<OAuthAnswer>): Promise<OAuthAnswer> {
  try {
    return await work();
  } catch (error) {
    const refusal = refusalOf(error, request);
    // A fault says nothing of the inside; whoever runs the server finds it by the request's id.
    const body = refusal.code === 'server_error' ? { ...refusal.body(), request_id: request.id } : refusal.body();
    return { status: refusal.status, body, headers: { ...challengeOf(refusal, request), ...refusal.headers } };
  }
}

function refusalOf(error: unknown, request: FastifyRequest): OAuthError {
  if (error instanceof OAuthError) {
    if (error.status >= 500) request.fault = error.cause ?? error;
    return error;
  }
  const busy = (seconds: string) =>
    new OAuthError('temporarily_unavailable', 'The server is busy. Try again shortly.', {
      headers: { 'retry-after': seconds },
    });
  if (error instanceof PasswordQueueFull) return busy('1');
  request.fault = error;
  if (isUnreachable(error)) return busy('5');
  return new OAuthError('server_error', 'The server failed.');
}

/** RFC 6749 §5.2, RFC 6750 §3, RFC 9449 §7.1: how the client could have proven itself. */
function challengeOf(refusal: OAuthError, request: FastifyRequest): Record<string, string> {
  const { code } = refusal;
  if (code === 'invalid_client') return { 'www-authenticate': 'Basic realm="gatehouse"' };
  const isAboutToken = code === 'invalid_token' || code === 'insufficient_scope';
  if (!isAboutToken && !(code === 'invalid_dpop_proof' && refusal.status === 401)) return {};
  const { error, error_description } = refusal.body();
  const says = `error="${error}", error_description="${error_description}"`;
  const isBound = /^dpop\s/i.test(request.headers.authorization ?? '');
  return { 'www-authenticate': isBound ? `DPoP ${says}` : `Bearer realm="gatehouse", ${says}` };
}

function readParams(request: FastifyRequest): Params {
  if (request.method === 'GET' || request.method === 'HEAD') {
    const at = request.url.indexOf('?');
    return parseParams(at === -1 ? '' : request.url.slice(at + 1));
  }
  const bytes = request.body as Buffer | undefined;
  if (!bytes || bytes.length === 0) return parseParams('');
  const type = request.headers['content-type'] ?? '';
  // Only a registration is JSON, and that has no parameters.
  if (isJson(type)) return parseParams('');
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) {
    throw new OAuthError('invalid_request', 'Parameters come as application/x-www-form-urlencoded.');
  }
  return parseParams(bytes.toString('utf8'));
}

const isJson = (type: string) => /^application\/json\s*(;|$)/i.test(type);
const deepestBody = 10;

/** The body of a request that is JSON. */
export function readJson(request: FastifyRequest): unknown {
  const bytes = request.body as Buffer | undefined;
  if (!bytes || !isJson(request.headers['content-type'] ?? '')) {
    throw new OAuthError('invalid_request', 'A body of type application/json is expected.');
  }
  try {
    const body: unknown = JSON.parse(bytes.toString('utf8'));
    if (!isDeeperThan(body, deepestBody)) return body;
  } catch {
    // The language says in no other way that it cannot read a text.
  }
  throw new OAuthError('invalid_request', 'The body cannot be read.');
}
