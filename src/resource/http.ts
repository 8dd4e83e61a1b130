import { Readable } from 'node:stream';
import { messageOf } from '../lib/error-facts.ts';
import { bodyLimits, hasMoreParts, isDeeperThan } from '../lib/json.ts';
import { occursMoreOften } from '../lib/occurs-more-often.ts';
import { parseJsonBytes } from '../lib/parse-json-bytes.ts';
import { Problem } from '../lib/problem.ts';
import type { Database } from '../platform/db/database.ts';
import { toErrorResponse } from '../platform/http/error-response.ts';
import { isUpload, readUpload } from '../platform/http/read-upload.ts';
import type { RequestFacts } from '../platform/http/request-facts.ts';
import { anyMethod, type HttpCall, type HttpResponse, type Routes } from '../platform/http/routes.ts';
import type { Actor } from './access/actor.ts';
import type { AnonymousLimit } from './access/anonymous-limit.ts';
import { checkCredential } from './access/credentials.ts';
import { type Call, callOf, type Reply, type ResourceWorld } from './call.ts';
import type { Operation } from './document/operation.ts';
import { checkQuery } from './write/flags.ts';
import { checkNames, strictApplied, wantsStrict } from './write/strict.ts';

export interface ApiNeeds {
  readonly db: Database;
  readonly world: ResourceWorld;
  readonly prefix: string;
  now(): string;
  /** The actor; null for an anonymous request. Throws on an invalid credential. */
  authenticate(request: RequestFacts, now: string): Promise<Actor | null>;
  /** Called for each finished call, for metrics and logs. */
  observe(operation: Operation, status: number, milliseconds: number): void;
  readonly anonymous: AnonymousLimit;
}

/** The operations of one path. */
type Offered = ReadonlyMap<string, Operation>;

/** Serves all operations below one prefix. */
export function mountApi(routes: Routes, operations: readonly Operation[], needs: ApiNeeds): void {
  async function serve(http: HttpCall, offered: Offered): Promise<HttpResponse> {
    const started = performance.now();
    const { facts } = http;
    const operation = offered.get(facts.method === 'HEAD' ? 'GET' : facts.method);
    const isStrict = wantsStrict(facts);
    let answer: HttpResponse;
    try {
      checkAccept(facts, operation);
      const now = needs.now();
      const actor = await signedIn(facts, now);
      if (!operation?.anonymous && !actor) throw new Problem('not_authenticated');
      if (operation) checkCredential(operation, { actor, now });
      if (!operation) return notOffered(facts.method, offered);
      checkQuery(operation, facts.query);
      const call = operationCall(http, actor, now);
      if (isStrict) checkNames(operation, call);
      answer = answerOf(await operation.handle(call));
    } catch (error) {
      answer = toErrorResponse(error, facts.id);
    }
    if (isStrict) answer = { ...answer, headers: { ...answer.headers, ...strictApplied } };
    if (operation) needs.observe(operation, answer.status, performance.now() - started);
    return answer;
  }

  /** Anonymous callers and failed authentications share a limit per network. */
  async function signedIn(facts: RequestFacts, now: string): Promise<Actor | null> {
    let actor: Actor | null = null;
    try {
      actor = await needs.authenticate(facts, now);
      return actor;
    } finally {
      if (!actor) needs.anonymous.count(facts.clientIp);
    }
  }

  function operationCall(http: HttpCall, actor: Actor | null, now: string): Call {
    let parsed: { readonly value: unknown } | undefined;
    const body = () => {
      parsed ??= { value: parseJsonBody(http, actor) };
      return parsed.value;
    };
    return callOf(http, needs, { now, actor, body, upload: () => readUpload(http.raw) });
  }

  for (const [path, offered] of byPath(operations)) {
    routes.on([anyMethod], `${needs.prefix}${path}`, (http) => serve(http, offered));
  }
}

function byPath(operations: readonly Operation[]): ReadonlyMap<string, Offered> {
  const paths = new Map<string, Map<string, Operation>>();
  for (const operation of operations) {
    const { path, method } = operation;
    const offered = paths.get(path) ?? new Map<string, Operation>();
    if (offered.has(method)) throw new Error(`two operations serve ${method} ${path}`);
    paths.set(path, offered.set(method, operation));
  }
  return paths;
}

function checkAccept(facts: RequestFacts, operation: Operation | undefined): void {
  const accept = facts.header('accept');
  if (
    !accept ||
    accept === 'application/json' ||
    /(^|[\s,])(\*\/\*|application\/(\*|json|yaml|vnd\.oai\.openapi(\+json)?))/i.test(accept)
  )
    return;
  // Last: an operation makes the schemas of its answer whenever it is asked for one.
  const file = operation?.answer.file;
  if (file !== undefined && accept.includes(file)) return;
  if (file?.endsWith('+xml') && /\b(application|text)\/xml\b/i.test(accept)) return;
  throw new Problem('not_acceptable');
}

function notOffered(method: string, offered: Offered): HttpResponse {
  const allow = { allow: [...offered.keys(), 'OPTIONS'].join(', ') };
  if (method === 'OPTIONS') return { status: 204, headers: { ...notStored, ...allow } };
  throw new Problem('method_not_allowed', `Method "${method}" not allowed.`, allow);
}

function parseJsonBody({ body: bytes, facts, raw }: HttpCall, actor: Actor | null): unknown {
  if (bytes.length === 0 && !isUpload(raw)) return {};
  const type = facts.header('content-type') ?? 'application/json';
  if (!/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type)) {
    throw new Problem('unsupported_media_type', `Unsupported media type "${type}" in request.`);
  }
  if (!actor && isIntricate(bytes)) throw new Problem('payload_too_large');
  const body = parseBytes(bytes);
  if (hasMoreParts(body, bodyLimits)) throw new Problem('payload_too_large', tooManyParts);
  if (isDeeperThan(body, maxBodyDepth)) throw new Problem('parse_error', 'JSON parse error - nested too deeply');
  return body;
}

/** Parsing takes time by members and nesting, not by bytes; strangers may send files, but nothing of many parts. */
const isIntricate = (bytes: Buffer): boolean =>
  ['{', '[', ','].some((sign) => occursMoreOften(bytes, sign, maxAnonymousParts));
const maxAnonymousParts = 5_000;
const tooManyParts = `The request body has more than ${bodyLimits.members} members of objects or ${bodyLimits.elements} elements of lists. Send less at once.`;

// Deeper than any member can be, but shallow enough that recursion cannot exhaust the stack.
const maxBodyDepth = 100;

function parseBytes(bytes: Buffer): unknown {
  try {
    return parseJsonBytes(bytes);
  } catch (error) {
    throw new Problem('parse_error', `JSON parse error - ${messageOf(error)}`);
  }
}

// Responses may hold secrets, so caches must not store them. Clients may still revalidate by ETag.
const notStored = { 'cache-control': 'no-store' };
const ofJson = { ...notStored, 'content-type': 'application/json' };

function answerOf({ status, body, headers, fault }: Reply): HttpResponse {
  if (body === undefined) return { status, headers: { ...notStored, ...headers } };
  const isText = typeof body === 'string' && headers?.['content-type'] !== undefined;
  return {
    status,
    headers: headers ? { ...ofJson, ...headers } : ofJson,
    body: Buffer.isBuffer(body) || body instanceof Readable || isText ? body : JSON.stringify(body),
    ...(fault !== undefined && { fault }),
  };
}
