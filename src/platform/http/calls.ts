import { type IncomingMessage, METHODS, type ServerResponse } from 'node:http';
import createRouter, { type HTTPMethod } from 'find-my-way';
import { Problem } from '../../lib/problem.ts';
import type { Log } from '../log.ts';
import { hasBody, readBody } from './read-body.ts';
import { type RequestFacts, requestFacts } from './request-facts.ts';
import { noteRequest } from './request-log.ts';
import { securityHeaders } from './security-headers.ts';
import type { Senders } from './senders.ts';

/** A request of a program, or of a page's script. */
export interface HttpCall {
  readonly facts: RequestFacts;
  readonly params: Readonly<Record<string, string>>;
  readonly raw: IncomingMessage;
  /** Empty when there is none, and for uploads: those are read by whoever wants them. */
  readonly body: Buffer;
  /** What went wrong inside; for the log, never for the caller. */
  fault: unknown;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Buffer;
}

export type AnswerCall = (call: HttpCall) => Promise<HttpAnswer>;

export interface Calls {
  /** The path may have parts that vary (`:slug`), and end in `*`. */
  on(methods: readonly string[], path: string, answer: AnswerCall): void;
  /** Answers the request if it is one of these; tells whether it is. */
  take(request: IncomingMessage, response: ServerResponse): boolean;
}

interface Needs {
  readonly log: Log;
  readonly senders: Senders;
  readonly bodyLimitBytes: number;
  /** Whether connections should end with their answers. */
  isStopping(): boolean;
}

export const everyMethod: readonly string[] = METHODS;
/** What may be read may be asked about as well (RFC 9110 §9.3.2). */
export const withHead = (methods: readonly string[]): readonly string[] =>
  methods.includes('GET') ? [...methods, 'HEAD'] : methods;
const nothing: Buffer = Buffer.alloc(0);
const noParameters = {};

/** Answers calls straight on Node's own objects: most of what the server does, where a framework would take longer than the work. */
export function createCalls({ log, senders, bodyLimitBytes, isStopping }: Needs): Calls {
  const router = createRouter({ maxParamLength: 500, querystringParser: () => noParameters });
  const note = noteRequest(log);

  async function serve(raw: IncomingMessage, response: ServerResponse, found: Found): Promise<void> {
    const started = performance.now();
    const call = {
      facts: requestFacts(raw, senders),
      params: found.params,
      raw,
      body: nothing,
      fault: null as unknown,
    };
    let answer: HttpAnswer;
    try {
      if (bringsBody(raw)) call.body = await readBody(raw, bodyLimitBytes);
      answer = await found.store(call);
    } catch (error) {
      answer = refusal(error, call);
    }
    try {
      write(response, call, answer);
    } catch (error) {
      // A header, for one, that cannot be sent.
      if (!response.headersSent) write(response, call, refusal(error, call));
    }
    note(response.statusCode, call.fault, () => {
      const { id, method, clientIp: ip } = call.facts;
      return { id, method, url: raw.url, ip, milliseconds: performance.now() - started };
    });
  }

  function write(response: ServerResponse, { facts }: HttpCall, { status, headers, body }: HttpAnswer): void {
    const all: Record<string, string | number | readonly string[]> = {
      ...securityHeaders,
      'x-request-id': facts.id,
      ...headers,
    };
    if (isStopping()) all.connection = 'close';
    // RFC 9110 §8.6
    if (status !== 204 && status !== 304) all['content-length'] = body === undefined ? 0 : Buffer.byteLength(body);
    response.writeHead(status, all as Record<string, string>);
    response.end(facts.method === 'HEAD' ? undefined : body);
  }

  return {
    on(methods, path, answer) {
      router.on(methods as HTTPMethod[], path, neverCalled, answer);
    },
    take(request, response) {
      const { method, url = '' } = request;
      // Where a whole address stands instead of a path, somebody takes us for their proxy.
      const found = url.startsWith('/') ? router.find(method as HTTPMethod, url) : null;
      if (!found) return false;
      void serve(request, response, found as unknown as Found);
      return true;
    },
  };
}

interface Found {
  readonly params: Readonly<Record<string, string>>;
  readonly store: AnswerCall;
}

/** The router is only asked what it finds. */
const neverCalled = () => {};

export const isUpload = ({ headers }: IncomingMessage): boolean => /^multipart\//i.test(headers['content-type'] ?? '');

const bringsBody = (request: IncomingMessage): boolean =>
  request.method !== 'GET' && request.method !== 'HEAD' && hasBody(request) && !isUpload(request);

function refusal(error: unknown, call: HttpCall): HttpAnswer {
  if (error instanceof Problem) return json(error.status, error.body(), error.headers);
  call.fault = error;
  return json(500, faultBody(call.facts.id));
}

export const json = (
  status: number,
  body: unknown,
  headers?: Readonly<Record<string, string | readonly string[]>>,
): HttpAnswer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

/** What a caller is told of a fault: where to look it up, and nothing of the inside. */
export const faultBody = (requestId: string) => ({
  detail: 'The server met a fault. It is recorded under the request id.',
  code: 'internal_error',
  request_id: requestId,
});
