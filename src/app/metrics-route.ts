import type { FastifyInstance } from 'fastify';
import { contains, parseCidrs } from '../lib/cidr.ts';
import { equalInConstantTime } from '../lib/constant-time.ts';
import { clientIp } from '../platform/http/server.ts';
import type { Metrics } from '../platform/metrics.ts';

const loopback = parseCidrs(['127.0.0.0/8', '::1/128']);

/** For callers on this machine, and for those who bring the token. */
export function mountMetrics(app: FastifyInstance, metrics: Metrics, token: string | null): void {
  app.get('/-/metrics', async (request, reply) => {
    const [, given = ''] = (request.headers.authorization ?? '').split(/^bearer /i);
    const isKnown = token !== null && equalInConstantTime(given, token);
    // Behind a proxy on this machine everyone would seem to be local: the forwarded address counts when there is one.
    const isLocal = contains(loopback, clientIp(request)) && request.headers['x-forwarded-for'] === undefined;
    if (!isKnown && !isLocal)
      return reply.code(403).send({ detail: 'You do not have permission to perform this action.' });
    const { type, text } = await metrics.render();
    return reply.header('content-type', type).send(text);
  });
}
