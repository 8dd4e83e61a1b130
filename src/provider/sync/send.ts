import { maskSecrets } from '../../core/event/mask.ts';
import { messageOf } from '../../lib/error-facts.ts';
import { asObject, isDeeperThan, isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { systemClock } from '../../platform/clock.ts';
import type { GuardedFetch, OutboundResponse } from '../../platform/fetch/guarded-fetch.ts';
import { OutboundError } from '../../platform/fetch/outbound-error.ts';
import type { Method } from '../../platform/fetch/redirect.ts';
import { storableText } from '../../resource/fields/well-formed.ts';
import { ObjectRefused, RemoteConflict, RemoteMissing, SyncStopped, Unauthorized, Unavailable } from './remote.ts';

export interface SyncRequest {
  readonly method: Method;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: JsonObject;
}

/** Sends one request; returns the JSON of a success, and throws an error of `remote.ts` for everything else. */
export type Send = (request: SyncRequest) => Promise<Json>;

/** Sends with a token, and bodies of this media type. */
export function withBearer(send: Send, token: string, mediaType = 'application/json'): Send {
  const headers = { authorization: `Bearer ${token}`, accept: mediaType };
  return (request) => send({ ...request, headers: request.body ? { ...headers, 'content-type': mediaType } : headers });
}

/** A request as the ledger shows it: without headers, since those hold credentials. */
export type SentRequest = {
  readonly at: string;
  readonly method: string;
  readonly url: string;
  readonly body?: Json;
  /** Null when nothing came back, or when it was not sent. */
  readonly status: number | null;
  readonly answer?: string;
};

const timeoutMs = 30_000;
/** Groups with many thousand members are large. */
const maxBytes = 16 * 1024 * 1024;
const maxRequests = 20;
const deepestAnswer = 30;
const maxBodyLength = 4_000;
const maxAnswerLength = 2_000;
/** What a dry run calls an object that it would create, in the requests that would follow. */
const idOfDryRuns = 'created-by-dry-run';
const maxRetryAfterMs = 60 * 60 * 1_000;

interface Options {
  /** Where requests are noted. */
  readonly trace?: SentRequest[];
  /** Dry run: records what would be sent and simulates the response; read requests are sent. */
  readonly dryRun?: boolean;
}

export function createSend(fetch: GuardedFetch, { trace = [], dryRun = false }: Options = {}): Send {
  return async ({ method, url, headers = {}, body }) => {
    const text = body && JSON.stringify(body);
    const note = (status: number | null, answer?: string) => {
      if (trace.length >= maxRequests) return;
      const shown = body && shownBody(body, text ?? '');
      trace.push({
        at: systemClock.now(),
        method,
        url,
        ...(shown !== undefined && { body: shown }),
        status,
        ...(answer && { answer: answer.slice(0, maxAnswerLength) }),
      });
    };
    if (dryRun && method !== 'GET') {
      note(null);
      return { id: idOfDryRuns };
    }
    const answer = await fetch(url, { method, headers, body: text, timeoutMs, maxBytes }).catch((error: unknown) => {
      note(null, messageOf(error));
      throw error instanceof OutboundError ? failureOf(error) : error;
    });
    const content = storableText(answer.text());
    note(answer.status, content);
    if (answer.status >= 200 && answer.status < 300) return parsed(content);
    throw refusalOf(answer, content);
  };
}

function shownBody(body: JsonObject, text: string): Json {
  return text.length > maxBodyLength
    ? `${JSON.stringify(maskSecrets(body)).slice(0, maxBodyLength)}…`
    : maskSecrets(body);
}

function parsed(content: string): Json {
  if (content.trim() === '') return {};
  const answer = parse(content);
  if (isDeeperThan(answer, deepestAnswer)) throw new ObjectRefused('The target answered with JSON nested too deeply.');
  return mayBeUnstorable.test(content) ? storable(answer) : answer;
}

function parse(content: string): Json {
  try {
    return JSON.parse(content);
  } catch {
    throw new ObjectRefused('The target answered something that is not JSON.');
  }
}

/** NUL and halves of characters: no database stores them. */
const mayBeUnstorable = /\\u(0000|d[89a-f])/i;

function storable(value: Json): Json {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(storable);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [storableText(name), storable(inner)]));
}

function failureOf(error: OutboundError): Error {
  if (error.reason === 'timeout' || error.reason === 'unreachable') return new Unavailable(error.message, true);
  if (error.reason === 'too-large') return new ObjectRefused(error.message);
  return new SyncStopped(error.message);
}

function refusalOf({ status, headers }: OutboundResponse, content: string): Error {
  const message = `The target answered ${status}: ${storableText(detailOf(content))}`;
  if (status === 401) return new Unauthorized(message);
  if (status === 404 || status === 410) return new RemoteMissing(message);
  if (status === 409) return new RemoteConflict(message);
  const isBusy = status === 429 || status === 503 || (status === 403 && isOverQuota(content));
  // We send no conditional requests: some vendors return 412 for unfinished operations.
  if (isBusy || status === 408 || status === 412 || (status >= 500 && status !== 501)) {
    return new Unavailable(message, isBusy, retryAfterMs(headers['retry-after']));
  }
  return new ObjectRefused(message);
}

/** Google's "Limits and quotas": slow down and retry, although the status is 403. */
const quotaReasons = new Set(['userRateLimitExceeded', 'rateLimitExceeded', 'quotaExceeded', 'dailyLimitExceeded']);

function isOverQuota(content: string): boolean {
  const { errors } = asObject(asObject(jsonOf(content)).error);
  return Array.isArray(errors) && errors.some((one) => quotaReasons.has(String(asObject(one).reason)));
}

function jsonOf(content: string): Json {
  try {
    return JSON.parse(content);
  } catch {
    return null;
  }
}

/** The error message of a target: SCIM's `detail`, the `error.message` of others, else the body itself. */
function detailOf(content: string): string {
  const body = jsonOf(content);
  if (isJsonObject(body)) {
    const { detail, error, error_description: description } = body;
    const inner = isJsonObject(error) ? error.message : error;
    const words = [detail, description, inner].find((text) => typeof text === 'string' && text !== '');
    if (typeof words === 'string') return words.slice(0, 500);
  }
  return content.slice(0, 500);
}

/** Seconds or a date (RFC 9110 §10.2.3); invalid values mean no delay. */
export function retryAfterMs(header: string | undefined, now = Date.now()): number {
  if (header === undefined) return 0;
  const wait = /^\d+$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isFinite(wait) ? Math.min(Math.max(wait, 0), maxRetryAfterMs) : 0;
}
