import { createRateLimit } from '../../../../platform/limits/rate-limit.ts';
import type { Log } from '../../../../platform/log.ts';
import { limits } from './limits.ts';

/** Logs why a client got no answer, or a rejection that no event explains: rarely, since anybody can cause it. */
export type Complain = (ip: string, reason: string, outcome?: 'dropped' | 'rejected') => null;

export function createComplaints(log: Log): Complain {
  const ofClient = createRateLimit({ max: limits.complaintsPerMinute, windowMs: 60_000, keys: 500 });
  const ofAll = createRateLimit({ max: limits.complaintsOfAllPerMinute, windowMs: 60_000 });
  return (ip, reason, outcome = 'dropped') => {
    if (ofClient.waitAfter(`${ip} ${reason}`) === 0 && ofAll.waitAfter('') === 0)
      log.warn({ client: ip, reason }, `a RADIUS request was ${outcome}`);
    return null;
  };
}
