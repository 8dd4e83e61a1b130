import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import cookie from '@fastify/cookie';
import helmet from '@fastify/helmet';
import multipart from '@fastify/multipart';
import rateLimit from '@fastify/rate-limit';
import fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { Problem } from '../../lib/problem.ts';

export interface ServerOptions {
  readonly log: FastifyBaseLogger;
  /** Address ranges whose `X-Forwarded-*` headers are believed; nobody's by default. */
  readonly trustedProxies: readonly string[];
  readonly bodyLimitBytes?: number;
}

const defaultBodyLimit = 2 * 1024 * 1024;
const uploadLimit = 5 * 1024 * 1024;

/** An HTTP server with the habits every route here shares: request ids, security headers, limits, raw bodies. */
export async function createServer({
  log,
  trustedProxies,
  bodyLimitBytes = defaultBodyLimit,
}: ServerOptions): Promise<FastifyInstance> {
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    bodyLimit: bodyLimitBytes,
    // Slow senders do not hold a connection for long.
    requestTimeout: 30_000,
    connectionTimeout: 60_000,
    keepAliveTimeout: 72_000,
    genReqId: () => randomBytes(16).toString('hex'),
    routerOptions: { maxParamLength: 500 },
    forceCloseConnections: 'idle',
  });
  await app.register(cookie);
  await app.register(helmet, {
    contentSecurityPolicy: contentSecurityPolicy,
    hsts: { maxAge: 31_536_000 },
    frameguard: { action: 'deny' },
  });
  await app.register(rateLimit, { global: false });
  // Bodies stay bytes: the operation that wants JSON parses it, after it has checked who asks. Uploads stay unread till then.
  app.removeAllContentTypeParsers();
  await app.register(multipart, { limits: { fileSize: uploadLimit, files: 1, fields: 10 } });
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  app.setNotFoundHandler((_request, reply) => reply.code(404).send(new Problem('not_found').body()));
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    const { statusCode = 500 } = error;
    if (statusCode === 413) return reply.code(413).send(new Problem('payload_too_large').body());
    if (statusCode < 500) return reply.code(statusCode).send({ detail: error.message, code: 'bad_request' });
    request.log.error({ err: error }, 'request failed');
    return reply.code(500).send(faultBody(request.id));
  });
  return app;
}

/** What a caller is told of a fault: where to look it up, and nothing of the inside. */
export const faultBody = (requestId: string) => ({
  detail: 'The server met a fault. It is recorded under the request id.',
  code: 'internal_error',
  request_id: requestId,
});

const contentSecurityPolicy = {
  directives: {
    defaultSrc: ["'self'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'", 'data:', 'https:'],
    objectSrc: ["'none'"],
    baseUri: ["'none'"],
    frameAncestors: ["'none'"],
    formAction: ["'self'"],
    upgradeInsecureRequests: null,
  },
};

/** The caller's address. A forwarded value that is no address is not believed, whoever sent it. */
export function clientIp(request: FastifyRequest): string {
  const address = isIP(request.ip) ? request.ip : (request.socket.remoteAddress ?? '255.255.255.255');
  return address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
}
