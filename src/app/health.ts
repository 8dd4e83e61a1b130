import { setTimeout } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Database } from '../platform/db/database.ts';

/** A database that takes longer than this to say a word is not there for requests either. */
const answerWithinMs = 3_000;

/** `live`: the process answers. `ready`: it can also reach its database, so requests may be sent to it. */
export function mountHealth(app: FastifyInstance, db: Database): void {
  app.get('/-/health/live/', async () => ({ status: 'ok' }));
  app.get('/-/health/ready/', async (request, reply) => {
    try {
      await within(answerWithinMs, db.ping());
      return { status: 'ok' };
    } catch (error) {
      request.fault = error;
      return reply.code(503).send({ status: 'the database cannot be reached' });
    }
  });
}

async function within(milliseconds: number, work: Promise<void>): Promise<void> {
  const end = new AbortController();
  const tooLate = setTimeout(milliseconds, undefined, { signal: end.signal }).then(() => {
    throw new Error(`no answer within ${milliseconds} ms`);
  });
  try {
    await Promise.race([work, tooLate]);
  } finally {
    tooLate.catch(() => {
      // The work was quicker, and the wait is called off.
    });
    end.abort();
    work.catch(() => {
      // Whoever asked has had their answer.
    });
  }
}
