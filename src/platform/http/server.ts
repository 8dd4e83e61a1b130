import { isIP } from 'node:net';
import cookie from '@fastify/cookie';
import multipart from '@fastify/multipart';
import fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { contains, parseCidrs } from '../../lib/cidr.ts';
import { Problem } from '../../lib/problem.ts';
import type { Log } from '../log.ts';
import { requestId } from '../random.ts';
import { answerBrokenRequest } from './broken-request.ts';
import { RequestLog } from './request-log.ts';
import { securityHeaders } from './security-headers.ts';

export interface ServerOptions {
  readonly log: Log;
  /** Address ranges whose `X-Forwarded-*` headers are believed; nobody's by default. */
  readonly trustedProxies: readonly string[];
  readonly bodyLimitBytes?: number;
  /** How long a request may take to arrive. */
  readonly requestTimeoutMs?: number;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** What went wrong inside; for the log, never for the caller. */
    fault: unknown;
  }
}

const defaultBodyLimit = 2 * 1024 * 1024;
const uploadLimit = 5 * 1024 * 1024;
const defaultRequestTimeoutMs = 30_000;

/** An HTTP server with the habits every route here shares: request ids, security headers, limits, raw bodies. */
export async function createServer({
  log,
  trustedProxies,
  bodyLimitBytes = defaultBodyLimit,
  requestTimeoutMs = defaultRequestTimeoutMs,
}: ServerOptions): Promise<FastifyInstance> {
  // What Fastify says of itself ("Server listening …") is no news. A child of the log for each request would cost
  // more than routing it: the one line that a request may have brings its id along.
  const quiet: FastifyBaseLogger = log.child({}, { level: log.isLevelEnabled('warn') ? 'warn' : log.level });
  const app = fastify({
    loggerInstance: quiet,
    childLoggerFactory: (logger) => logger,
    logController: new RequestLog(log),
    trustProxy: trustedProxies.length > 0 && isWithin(trustedProxies),
    bodyLimit: bodyLimitBytes,
    // Slow senders do not hold a connection for long, nor do those who say nothing.
    requestTimeout: requestTimeoutMs,
    connectionTimeout: 2 * requestTimeoutMs,
    keepAliveTimeout: 72_000,
    // Node's default for the headers is longer than ours for the whole, and it would take the one for the other.
    http: { headersTimeout: requestTimeoutMs / 2, connectionsCheckingInterval: Math.ceil(requestTimeoutMs / 6) },
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
  app.decorateRequest('fault', null);
  await app.register(cookie);
  // Bodies stay bytes: the operation that wants JSON parses it, after it has checked who asks. Uploads stay unread till then.
  app.removeAllContentTypeParsers();
  await app.register(multipart, { limits: { fileSize: uploadLimit, files: 1, fields: 10 } });
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(securityHeaders).header('x-request-id', request.id);
    // Answers of the API may hold secrets: no cache keeps them. A client that has an ETag may still ask with it.
    if (request.url.startsWith('/api/')) reply.header('cache-control', 'no-store');
    done();
  });
  closeAfterAnswers(app);
  app.setNotFoundHandler((_request, reply) => reply.code(404).send(new Problem('not_found').body()));
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    const { statusCode = 500 } = error;
    if (statusCode === 413) return reply.code(413).send(new Problem('payload_too_large').body());
    if (statusCode < 500) return reply.code(statusCode).send(new Problem('bad_request', error.message).body());
    request.fault = error;
    return reply.code(500).send(faultBody(request.id));
  });
  return app;
}

/** Asked of every request, and more than once: Fastify's own way to compare addresses takes several times as long. */
function isWithin(ranges: readonly string[]): (address: string) => boolean {
  const cidrs = parseCidrs(ranges);
  return (address) => contains(cidrs, address);
}

/** Node keeps connections open for their next request even while it stops: those in use are closed with their answer. */
function closeAfterAnswers(app: FastifyInstance): void {
  let isStopping = false;
  app.addHook('preClose', (done) => {
    isStopping = true;
    done();
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isStopping) reply.header('connection', 'close');
    done(null, payload);
  });
}

/** What a caller is told of a fault: where to look it up, and nothing of the inside. */
export const faultBody = (requestId: string) => ({
  detail: 'The server met a fault. It is recorded under the request id.',
  code: 'internal_error',
  request_id: requestId,
});

/** The caller's address. A forwarded value that is no address is not believed, whoever sent it. */
export function clientIp(request: FastifyRequest): string {
  const { ip } = request;
  const address = isIP(ip) ? ip : (request.socket.remoteAddress ?? '255.255.255.255');
  return address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
}
