import type { FastifyInstance } from 'fastify';
import type { Database } from '../platform/db/database.ts';

/** `live`: the process answers. `ready`: it can also reach its database, so requests may be sent to it. */
export function mountHealth(app: FastifyInstance, db: Database): void {
  app.get('/-/health/live/', async () => ({ status: 'ok' }));
  app.get('/-/health/ready/', async (request, reply) => {
    try {
      await db.ping();
      return { status: 'ok' };
    } catch (error) {
      request.log.warn({ err: error }, 'the database cannot be reached');
      return reply.code(503).send({ status: 'the database cannot be reached' });
    }
  });
}
