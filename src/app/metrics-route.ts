import type { FastifyInstance, FastifyRequest } from 'fastify';
import { contains, parseCidrs } from '../lib/cidr.ts';
import { equalInConstantTime } from '../lib/constant-time.ts';
import { Problem } from '../lib/problem.ts';
import type { Metrics } from '../platform/metrics.ts';

const loopback = parseCidrs(['127.0.0.0/8', '::1/128']);
// Behind a proxy on this machine everyone would seem to be local: whoever was forwarded is not.
const forwardingHeaders = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'];

/** For callers on this machine, and for those who bring the token. */
export function mountMetrics(app: FastifyInstance, metrics: Metrics, token: string | null): void {
  app.get('/-/metrics', async (request, reply) => {
    if (!isLocal(request) && !brings(request, token)) {
      return reply.code(403).send(new Problem('permission_denied').body());
    }
    const { type, text } = await metrics.render();
    return reply.header('content-type', type).send(text);
  });
}

function isLocal({ socket, headers }: FastifyRequest): boolean {
  return (
    contains(loopback, socket.remoteAddress ?? '') && forwardingHeaders.every((name) => headers[name] === undefined)
  );
}

function brings({ headers }: FastifyRequest, token: string | null): boolean {
  const given = /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  return token !== null && given !== undefined && equalInConstantTime(given, token);
}
