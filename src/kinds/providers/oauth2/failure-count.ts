import { networkOf } from '../../../lib/cidr.ts';
import { createLruCache } from '../../../lib/lru-cache.ts';
import { worthTelling } from '../../../lib/rate-limit.ts';
import { addMilliseconds } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import { createSharedCounts } from '../../../platform/shared-counts.ts';
import type { Call } from '../../../resource/call.ts';
import { OAuthError } from './oauth-error.ts';

/**
 * Counts failures by network and claimed identity, on all instances together. Client secrets are too long to guess; the
 * limit keeps attempts cheap. Others behind the same proxy are not affected.
 */
export interface FailureCount {
  /** Throws while the claimed identity has to wait; without one, the network as a whole. */
  check(call: Call, who?: string): void;
  count(call: Call, who?: string): void;
}

const maxFailures = 100;
const windowMs = 60_000;
const maxSubjects = 20_000;

export function createFailureCount(db: Database): FailureCount {
  const others = createSharedCounts({ db, name: 'oauth2', windowMs });
  const counts = createLruCache<{ readonly failures: number; readonly until: string }>(maxSubjects);
  const current = ({ request, now }: Call, who = '') => {
    const subject = `${networkOf(request.clientIp)} ${who}`;
    const counted = counts.get(subject);
    const own = counted && counted.until > now ? counted.failures : 0;
    return { subject, own, failures: own + (others?.of(subject) ?? 0), until: counted?.until ?? now };
  };
  let lastUntil = '';
  return {
    check(call, who) {
      // Nearly always nobody has failed for a while.
      if (lastUntil <= call.now || current(call, who).failures < maxFailures) return;
      throw new OAuthError('temporarily_unavailable', 'Too many attempts have failed. Try again in a minute.', {
        status: 429,
        headers: { 'retry-after': String(windowMs / 1000) },
      });
    },
    count(call, who) {
      const { subject, own, until } = current(call, who);
      const end = own === 0 ? addMilliseconds(call.now, windowMs) : until;
      const failures = own + 1;
      counts.set(subject, { failures, until: end });
      const tellFrom = maxFailures * worthTelling;
      if (failures >= tellFrom) others?.add(subject, failures === tellFrom ? tellFrom : 1);
      if (end > lastUntil) lastUntil = end;
    },
  };
}
