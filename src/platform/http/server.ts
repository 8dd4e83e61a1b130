import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyListenOptions,
  type FastifyReply,
} from 'fastify';
import inject, { type InjectOptions, type Response } from 'light-my-request';
import { Problem } from '../../lib/problem.ts';
import type { Log } from '../log.ts';
import { requestId } from '../random.ts';
import { answerBrokenRequest } from './broken-request.ts';
import { type Calls, createCalls, faultBody } from './calls.ts';
import { type RequestFacts, requestFacts } from './request-facts.ts';
import { PageLog } from './request-log.ts';
import { securityHeaders } from './security-headers.ts';
import { createSenders } from './senders.ts';

export interface ServerOptions {
  readonly log: Log;
  /** Address ranges whose `X-Forwarded-*` headers are believed; nobody's by default. */
  readonly trustedProxies: readonly string[];
  readonly bodyLimitBytes?: number;
  /** How long a request may take to arrive. */
  readonly requestTimeoutMs?: number;
}

export interface HttpServer {
  /** What programs ask: the API, and the endpoints of protocols. */
  readonly calls: Calls;
  /** What people open in a browser, and files; everything that is no call. */
  readonly pages: FastifyInstance;
  listen(options: FastifyListenOptions): Promise<string>;
  /** Takes no new connections, and resolves when the requests in flight are answered. */
  close(): Promise<void>;
  /** Answers a request that comes from within the process. */
  inject(options: InjectOptions): Promise<Response>;
}

declare module 'fastify' {
  interface FastifyRequest {
    readonly facts: RequestFacts;
    /** What went wrong inside; for the log, never for the caller. */
    fault: unknown;
  }
}

const defaultBodyLimit = 2 * 1024 * 1024;
const defaultRequestTimeoutMs = 30_000;

/** An HTTP server with the habits every answer here shares: request ids, security headers, limits, raw bodies. */
export function createServer({
  log,
  trustedProxies,
  bodyLimitBytes = defaultBodyLimit,
  requestTimeoutMs = defaultRequestTimeoutMs,
}: ServerOptions): HttpServer {
  let isStopping = false;
  const senders = createSenders(trustedProxies);
  const calls = createCalls({ log, senders, bodyLimitBytes, isStopping: () => isStopping });

  // What Fastify says of itself ("Server listening …") is no news. A child of the log for each request would cost
  // more than routing it: the one line that a request may have brings its id along.
  const quiet: FastifyBaseLogger = log.child({}, { level: log.isLevelEnabled('warn') ? 'warn' : log.level });
  const pages = fastify({
    serverFactory: (handlePage) =>
      createHttpServer(timeouts(requestTimeoutMs), (request, response) => {
        if (!calls.take(request, response)) handlePage(request, response);
      }).setTimeout(2 * requestTimeoutMs),
    loggerInstance: quiet,
    childLoggerFactory: (logger) => logger,
    logController: new PageLog(log),
    bodyLimit: bodyLimitBytes,
    genReqId: requestId,
    routerOptions: { maxParamLength: 500 },
    forceCloseConnections: 'idle',
    // While it stops, what still comes over an open connection is served, and the connection closed.
    return503OnClosing: false,
    clientErrorHandler: answerBrokenRequest,
    // Paths with broken escapes, or too long to name anything, are turned away before any hook.
    frameworkErrors: (error, _request, reply: FastifyReply) => {
      const problem = new Problem(error.statusCode === 414 ? 'not_found' : 'bad_request');
      reply.code(problem.status).headers(securityHeaders).send(problem.body());
    },
  });
  pages.decorateRequest('fault', null);
  pages.decorateRequest('facts', {
    getter() {
      return requestFacts(this.raw, senders, this.id);
    },
  });
  // Bodies stay bytes: whoever wants something else reads it out of them.
  pages.removeAllContentTypeParsers();
  pages.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  pages.addHook('onRequest', (request, reply, done) => {
    reply.headers(securityHeaders).header('x-request-id', request.id);
    done();
  });
  // Node keeps connections open for their next request even while it stops: those in use are closed with their answer.
  pages.addHook('preClose', (done) => {
    isStopping = true;
    done();
  });
  pages.addHook('onSend', (_request, reply, payload, done) => {
    if (isStopping) reply.header('connection', 'close');
    done(null, payload);
  });
  pages.setNotFoundHandler((_request, reply) =>
    reply.code(404).header('cache-control', 'no-store').send(new Problem('not_found').body()),
  );
  pages.setErrorHandler<FastifyError>((error, request, reply) => {
    const { statusCode = 500 } = error;
    if (statusCode === 413) return reply.code(413).send(new Problem('payload_too_large').body());
    if (statusCode < 500) return reply.code(statusCode).send(new Problem('bad_request', error.message).body());
    request.fault = error;
    return reply.code(500).send(faultBody(request.id));
  });

  return {
    calls,
    pages,
    listen: (options) => pages.listen(options),
    close: () => pages.close(),
    async inject(options) {
      await pages.ready();
      const [handle] = pages.server.listeners('request');
      return inject(handle as (request: IncomingMessage, response: ServerResponse) => void, options);
    },
  };
}

/** Slow senders do not hold a connection for long, nor do those who say nothing. */
const timeouts = (requestTimeoutMs: number) => ({
  requestTimeout: requestTimeoutMs,
  keepAliveTimeout: 72_000,
  // Node's default for the headers is longer than ours for the whole, and it would take the one for the other.
  headersTimeout: requestTimeoutMs / 2,
  connectionsCheckingInterval: Math.ceil(requestTimeoutMs / 6),
});
