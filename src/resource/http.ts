import { networkOf } from '../lib/cidr.ts';
import { isDeeperThan } from '../lib/json.ts';
import { Invalid, Problem } from '../lib/problem.ts';
import { createRateLimit } from '../lib/rate-limit.ts';
import type { Database } from '../platform/db/database.ts';
import { isUnreachable } from '../platform/db/unreachable.ts';
import {
  type Calls,
  everyMethod,
  faultBody,
  type HttpAnswer,
  type HttpCall,
  isUpload,
} from '../platform/http/calls.ts';
import { readUpload } from '../platform/http/read-upload.ts';
import type { RequestFacts } from '../platform/http/request-facts.ts';
import { PasswordQueueFull } from '../platform/passwords.ts';
import type { Actor } from './actor.ts';
import type { Call, Reply, ResourceWorld } from './call.ts';
import type { Method, Operation } from './operation.ts';
import { createRouter } from './router.ts';

export interface ApiNeeds {
  readonly db: Database;
  readonly world: ResourceWorld;
  readonly prefix: string;
  now(): string;
  /** Who asks; null when the request says nothing of it; throws when what it says is wrong. */
  authenticate(request: RequestFacts, now: string): Promise<Actor | null>;
  /** Told of each finished call, for metrics and logs. */
  observe(operation: Operation, status: number, milliseconds: number): void;
  /** How many calls without a valid sign-in one address may make in a minute. */
  readonly anonymousPerMinute: number;
}

/** Serves all operations below one prefix by a table of their own. */
export function mountApi(calls: Calls, operations: readonly Operation[], needs: ApiNeeds): void {
  const route = createRouter(operations);
  const anonymous = createRateLimit({ most: needs.anonymousPerMinute, windowMs: 60_000 });

  async function serve(http: HttpCall): Promise<HttpAnswer> {
    const started = performance.now();
    let operation: Operation | undefined;
    let reply: Reply;
    try {
      const { facts } = http;
      const match = route(facts.path.slice(needs.prefix.length));
      if (!match) throw new Problem('not_found');
      checkAccept(facts);
      const now = needs.now();
      const actor = await signedIn(facts, now);
      operation = match.operations.get(facts.method === 'HEAD' ? 'GET' : (facts.method as Method));
      if (!operation?.anonymous && !actor) throw new Problem('not_authenticated');
      reply = operation
        ? await operation.handle(callOf(http, match.params, actor, now))
        : notOffered(facts.method, match.operations);
    } catch (error) {
      reply = refusal(error, http);
    }
    if (operation) needs.observe(operation, reply.status, performance.now() - started);
    return answerOf(reply);
  }

  /** Callers who are not signed in, or not rightly, share a limit per address. */
  async function signedIn(facts: RequestFacts, now: string): Promise<Actor | null> {
    let actor: Actor | null = null;
    try {
      actor = await needs.authenticate(facts, now);
      return actor;
    } finally {
      if (!actor) checkLimit(facts);
    }
  }

  function checkLimit({ clientIp: address }: RequestFacts): void {
    const waitMs = anonymous.waitAfter(networkOf(address));
    if (waitMs === 0) return;
    const seconds = Math.ceil(waitMs / 1000);
    const detail = `Request was throttled. Expected available in ${seconds} second${seconds === 1 ? '' : 's'}.`;
    throw new Problem('throttled', detail, { 'retry-after': String(seconds) });
  }

  function callOf(http: HttpCall, params: Readonly<Record<string, string>>, actor: Actor | null, now: string): Call {
    let body: { readonly value: unknown } | undefined;
    return {
      actor,
      request: http.facts,
      params,
      now,
      db: needs.db,
      world: needs.world,
      body() {
        body ??= { value: parseJsonBody(http) };
        return body.value;
      },
      upload: () => readUpload(http.raw),
    };
  }

  calls.on(everyMethod, `${needs.prefix}/*`, serve);
}

function checkAccept(facts: RequestFacts): void {
  const accept = facts.header('accept');
  if (
    !accept ||
    accept === 'application/json' ||
    /(^|[\s,])(\*\/\*|application\/(\*|json|yaml|vnd\.oai\.openapi(\+json)?))/i.test(accept)
  )
    return;
  throw new Problem('not_acceptable');
}

function notOffered(method: string, operations: ReadonlyMap<Method, Operation>): Reply {
  const allow = { allow: [...operations.keys(), 'OPTIONS'].join(', ') };
  if (method === 'OPTIONS') return { status: 204, headers: allow };
  return {
    status: 405,
    body: new Problem('method_not_allowed', `Method "${method}" not allowed.`).body(),
    headers: allow,
  };
}

function parseJsonBody({ body: bytes, facts, raw }: HttpCall): unknown {
  if (bytes.length === 0 && !isUpload(raw)) return {};
  const type = facts.header('content-type') ?? 'application/json';
  if (!/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type)) {
    throw new Problem('unsupported_media_type', `Unsupported media type "${type}" in request.`);
  }
  const body = parseText(bytes.toString('utf8'));
  if (isDeeperThan(body, deepestBody)) throw new Problem('parse_error', 'JSON parse error - nested too deeply');
  return body;
}

// Far deeper than any member may be, and far from where walking or printing a value would exhaust the stack.
const deepestBody = 100;

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Problem('parse_error', `JSON parse error - ${(error as Error).message}`);
  }
}

// Answers may hold secrets: no cache keeps them. A client that has an ETag may still ask with it.
const unlessSaid = { 'cache-control': 'no-store' };
const ofJson = { ...unlessSaid, 'content-type': 'application/json' };

function answerOf({ status, body, headers }: Reply): HttpAnswer {
  if (body === undefined) return { status, headers: { ...unlessSaid, ...headers } };
  const isReady = Buffer.isBuffer(body) || (typeof body === 'string' && headers?.['content-type'] !== undefined);
  return {
    status,
    headers: headers ? { ...ofJson, ...headers } : ofJson,
    body: isReady ? (body as Buffer | string) : JSON.stringify(body),
  };
}

/** What a caller is told of an error; faults are logged and say nothing of the inside. */
function refusal(error: unknown, http: HttpCall): Reply {
  if (error instanceof Problem) return { status: error.status, body: error.body(), headers: error.headers };
  if (error instanceof Invalid) return { status: error.status, body: error.body() };
  if (error instanceof PasswordQueueFull)
    return { status: 503, body: new Problem('unavailable').body(), headers: { 'retry-after': '1' } };
  http.fault = error;
  if (isUnreachable(error))
    return { status: 503, body: new Problem('unavailable').body(), headers: { 'retry-after': '5' } };
  return { status: 500, body: faultBody(http.facts.id) };
}
