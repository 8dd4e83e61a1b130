import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { networkOf } from '../lib/cidr.ts';
import { isDeeperThan } from '../lib/json.ts';
import { Invalid, Problem } from '../lib/problem.ts';
import { createRateLimit } from '../lib/rate-limit.ts';
import type { Database } from '../platform/db/database.ts';
import { isUnreachable } from '../platform/db/unreachable.ts';
import { clientIp, faultBody } from '../platform/http/server.ts';
import { PasswordQueueFull } from '../platform/passwords.ts';
import type { Actor } from './actor.ts';
import type { Call, Reply, RequestFacts, ResourceWorld, Upload } from './call.ts';
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

const noQuery = new URLSearchParams();
const json = 'application/json';

/** Serves all operations below one prefix by a table of their own. */
export function mountApi(app: FastifyInstance, operations: readonly Operation[], needs: ApiNeeds): void {
  const route = createRouter(operations);
  const anonymous = createRateLimit({ most: needs.anonymousPerMinute, windowMs: 60_000 });

  async function serve(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const started = performance.now();
    let operation: Operation | undefined;
    try {
      const facts = requestFacts(request);
      const match = route(facts.path.slice(needs.prefix.length));
      if (!match) throw new Problem('not_found');
      checkAccept(request);
      const now = needs.now();
      const actor = await signedIn(facts, now);
      const method = request.method === 'HEAD' ? 'GET' : (request.method as Method);
      operation = match.operations.get(method);
      if (!operation?.anonymous && !actor) throw new Problem('not_authenticated');
      if (!operation) return void send(reply, notOffered(request.method, match.operations));
      send(reply, await operation.handle(callOf(request, facts, match.params, actor, now)));
    } catch (error) {
      send(reply, refusal(error, request));
    } finally {
      if (operation) needs.observe(operation, reply.statusCode, performance.now() - started);
    }
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

  function callOf(
    request: FastifyRequest,
    facts: RequestFacts,
    params: Record<string, string>,
    actor: Actor | null,
    now: string,
  ): Call {
    let body: { readonly value: unknown } | undefined;
    return {
      actor,
      request: facts,
      params,
      now,
      db: needs.db,
      world: needs.world,
      body() {
        body ??= { value: parseJsonBody(request) };
        return body.value;
      },
      upload: () => readUpload(request),
    };
  }

  app.all(`${needs.prefix}/*`, serve);
}

/** What a call is told of its request; for pages as well. */
export function requestFacts(request: FastifyRequest): RequestFacts {
  const [path = '', search] = splitOnce(request.url, '?');
  return {
    id: request.id,
    method: request.method,
    path,
    query: search ? new URLSearchParams(search) : noQuery,
    clientIp: clientIp(request),
    userAgent: request.headers['user-agent'] ?? '',
    host: request.hostname,
    isSecure: request.protocol === 'https',
    cookies: request.cookies,
    header: (name) => {
      const value = request.headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    },
  };
}

function splitOnce(text: string, mark: string): [string, string?] {
  const at = text.indexOf(mark);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function checkAccept(request: FastifyRequest): void {
  const { accept } = request.headers;
  if (!accept || /(^|[\s,])(\*\/\*|application\/(\*|json|yaml|vnd\.oai\.openapi(\+json)?))/i.test(accept)) return;
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

function parseJsonBody(request: FastifyRequest): unknown {
  const bytes = request.body as Buffer | undefined;
  if ((!bytes || bytes.length === 0) && !request.isMultipart()) return {};
  const type = request.headers['content-type'] ?? json;
  if (!bytes || !/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type)) {
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

async function readUpload(request: FastifyRequest): Promise<Upload | null> {
  if (!request.isMultipart()) {
    throw new Problem(
      'unsupported_media_type',
      `Unsupported media type "${request.headers['content-type'] ?? ''}" in request.`,
    );
  }
  const fields: Record<string, string> = {};
  let file: Omit<Upload, 'fields'> | null = null;
  try {
    for await (const part of request.parts()) {
      if (part.type === 'field') fields[part.fieldname] = String(part.value);
      else file = { filename: part.filename, type: part.mimetype, bytes: await part.toBuffer() };
    }
  } catch (error) {
    if ((error as { statusCode?: number }).statusCode === 413) throw error;
    throw new Problem('parse_error', 'The multipart body cannot be read.');
  }
  return { filename: '', type: '', bytes: Buffer.alloc(0), ...file, fields };
}

function send(reply: FastifyReply, { status, body, headers }: Reply): void {
  reply.code(status);
  if (headers) reply.headers(headers);
  if (body === undefined) return void reply.send();
  if (!headers?.['content-type']) reply.header('content-type', json);
  reply.send(
    Buffer.isBuffer(body) || (typeof body === 'string' && headers?.['content-type']) ? body : JSON.stringify(body),
  );
}

/** What a caller is told of an error; faults are logged and say nothing of the inside. */
function refusal(error: unknown, request: FastifyRequest): Reply {
  if (error instanceof Problem) return { status: error.status, body: error.body(), headers: error.headers };
  if (error instanceof Invalid) return { status: error.status, body: error.body() };
  if ((error as { statusCode?: number }).statusCode === 413)
    return { status: 413, body: new Problem('payload_too_large').body() };
  if (error instanceof PasswordQueueFull)
    return { status: 503, body: new Problem('unavailable').body(), headers: { 'retry-after': '1' } };
  request.fault = error;
  if (isUnreachable(error))
    return { status: 503, body: new Problem('unavailable').body(), headers: { 'retry-after': '5' } };
  return { status: 500, body: faultBody(request.id) };
}
