import { setTimeout } from 'node:timers/promises';
import type { Database } from '../platform/db/database.ts';
import { DiskFull } from '../platform/db/unreachable.ts';
import { json } from '../platform/http/routes.ts';
import type { HttpServer } from '../platform/http/server.ts';

/** A database that takes longer than this counts as unavailable. */
const answerWithinMs = 3_000;

/** `live`: the process answers. `ready`: it is not stopping and can reach its database, so requests may be sent to it. */
export function mountHealth(server: HttpServer, db: Database): void {
  const { routes } = server;
  routes.on(['GET'], '/-/health/live/', async () => json(200, { status: 'ok' }));
  routes.on(['GET'], '/-/health/ready/', async () => {
    if (server.isStopping) return json(503, { status: 'stopping' });
    try {
      await within(answerWithinMs, db.ping());
      return json(200, { status: 'ok' });
    } catch (error) {
      const status = error instanceof DiskFull ? 'the disk is full' : 'the database cannot be reached';
      return { ...json(503, { status }), fault: error };
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
      // The query finished first.
    });
    end.abort();
    work.catch(() => {
      // The response has already been sent.
    });
  }
}
