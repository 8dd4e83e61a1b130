import { Problem } from '../../lib/problem.ts';
import type { Database } from '../../platform/db/database.ts';
import { createSharedNetworkLimit } from '../../platform/limits/shared-rate-limit.ts';
import type { Call } from '../call.ts';

/** The limit per network for requests without valid authentication, over the API and the endpoints of protocols. */
export interface AnonymousLimit {
  /** Counts one more request. Throws above the limit. */
  count(clientIp: string): void;
  /** The same for a request that may have a session. To be called before anything is done with what was sent. */
  check(call: Pick<Call, 'actor' | 'request'>): void;
}

const windowMs = 60_000;

export function createAnonymousLimit(db: Database, max: number): AnonymousLimit {
  const limit = createSharedNetworkLimit({ db, name: 'anonymous', max, windowMs });

  function count(clientIp: string): void {
    const waitMs = limit.waitAfter(clientIp);
    if (waitMs === 0) return;
    const seconds = Math.ceil(waitMs / 1000);
    const detail = `Request was throttled. Expected available in ${seconds} second${seconds === 1 ? '' : 's'}.`;
    throw new Problem('throttled', detail, { 'retry-after': String(seconds) });
  }

  return {
    count,
    check({ actor, request }) {
      if (!actor) count(request.clientIp);
    },
  };
}
