import { setTimeout } from 'node:timers/promises';
import type { Database } from '../platform/db/database.ts';
import { DiskFull } from '../platform/db/unreachable.ts';
import { json } from '../platform/http/routes.ts';
import type { HttpServer } from '../platform/http/server.ts';
import type { Log } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';

/** A database that takes longer than this counts as unavailable. */
const answerWithinMs = 3_000;

interface HealthDependencies {
  readonly server: HttpServer;
  readonly db: Database;
  readonly log: Log;
  readonly metrics: Metrics;
}

interface Readiness {
  readonly status: string;
  readonly isReady: boolean;
  readonly isDatabaseUp: boolean;
}

/**
 * `live`: the process responds. `ready`: it is not stopping and can reach its database, so requests may be sent to it.
 */
export function mountHealth({ server, db, log, metrics }: HealthDependencies): void {
  const { routes } = server;
  let lastStatus = 'ok';

  /** Logs changes only: load balancers check every second. */
  async function check(): Promise<Readiness> {
    const err: unknown = await within(answerWithinMs, db.ping()).catch((error: unknown) => error);
    const isDatabaseUp = err === undefined;
    if (server.isStopping) return { status: 'stopping', isReady: false, isDatabaseUp };
    const status = isDatabaseUp ? 'ok' : troubleOf(err);
    if (status !== lastStatus) {
      if (isDatabaseUp) log.info('ready again');
      else log.warn({ err, status }, 'not ready');
    }
    lastStatus = status;
    return { status, isReady: isDatabaseUp, isDatabaseUp };
  }

  /** Concurrent calls, such as those of one scrape, share one check. */
  let checking: Promise<Readiness> | null = null;
  function checkOnce(): Promise<Readiness> {
    checking ??= check().finally(() => {
      checking = null;
    });
    return checking;
  }

  routes.on(['GET'], '/-/health/live/', async () => json(200, { status: 'ok' }));
  routes.on(['GET'], '/-/health/ready/', async () => {
    if (server.isStopping) return { ...json(503, { status: 'stopping' }), isLogged: true };
    const { status, isReady } = await checkOnce();
    return { ...json(isReady ? 200 : 503, { status }), isLogged: true };
  });
  metrics.watchFigures(
    'gatehouse_ready',
    'Whether this instance is ready for requests (1), as the readiness check reports it.',
    [],
    async () => [{ labels: {}, value: Number((await checkOnce()).isReady) }],
  );
  metrics.watchFigures(
    'gatehouse_database_up',
    'Whether the database responds within 3 seconds (1) and its disk has room.',
    [],
    async () => [{ labels: {}, value: Number((await checkOnce()).isDatabaseUp) }],
  );
}

const troubleOf = (error: unknown): string =>
  error instanceof DiskFull ? 'the disk is full' : 'the database cannot be reached';

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
