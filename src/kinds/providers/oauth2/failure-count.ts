import { networkOf } from '../../../lib/cidr.ts';
import { createLruCache } from '../../../lib/lru-cache.ts';
import { worthTelling } from '../../../lib/rate-limit.ts';
import { addMilliseconds } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import { createSharedCounts } from '../../../platform/shared-counts.ts';
import type { Call } from '../../../resource/call.ts';
import { OAuthError } from './oauth-error.ts';

/**
 * Counts failures by address and by whom it claims to be, on all instances together: secrets of clients are long, so it is their
 * number that must not hurt. Others behind the same proxy go on meanwhile.
 */
export interface FailureCount {
  /** Throws while whoever claims to be this has to wait; without a claim, the address as a whole. */
  check(call: Call, who?: string): void;
  count(call: Call, who?: string): void;
}

const most = 100;
const windowMs = 60_000;
/** At least half of these, those that failed last. */
const remembered = 20_000;

export function createFailureCount(db: Database, name: string): FailureCount {
  const others = createSharedCounts({ db, name: `oauth2 ${name}`, windowMs });
  const counts = createLruCache<{ readonly failures: number; readonly until: string }>(remembered);
  const current = ({ request, now }: Call, who = '') => {
    const subject = `${networkOf(request.clientIp)} ${who}`;
    const known = counts.get(subject);
    const own = known && known.until > now ? known.failures : 0;
    return { subject, own, failures: own + (others?.of(subject) ?? 0), until: known?.until ?? now };
  };
  let lastUntil = '';
  return {
    check(call, who) {
      // Nearly always nobody has failed for a while.
      if (lastUntil <= call.now || current(call, who).failures < most) return;
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
      const tellFrom = most * worthTelling;
      if (failures >= tellFrom) others?.add(subject, failures === tellFrom ? tellFrom : 1);
      if (end > lastUntil) lastUntil = end;
    },
  };
}
