import { createRecentlyUsed } from '../../../lib/recently-used.ts';
import { addMilliseconds } from '../../../platform/clock.ts';
import { networkOf } from '../../../platform/http/server.ts';
import type { Call } from '../../../resource/call.ts';
import { OAuthError } from './oauth-error.ts';

/** Counts failures by address, in this process: secrets of clients are long, so it is their number that must not hurt. */
export interface FailureCount {
  /** Throws while an address has to wait. */
  check(call: Call): void;
  count(call: Call): void;
}

const most = 100;
const windowMs = 60_000;
const addressesRemembered = 10_000;

export function createFailureCount(): FailureCount {
  const counts = createRecentlyUsed<{ readonly failures: number; readonly until: string }>(addressesRemembered);
  const current = ({ request, now }: Call) => {
    const address = networkOf(request.clientIp);
    const known = counts.get(address);
    return { address, failures: known && known.until > now ? known.failures : 0, until: known?.until ?? now };
  };
  return {
    check(call) {
      if (current(call).failures < most) return;
      throw new OAuthError('temporarily_unavailable', 'Too many attempts have failed. Try again in a minute.', {
        status: 429,
        headers: { 'retry-after': String(windowMs / 1000) },
      });
    },
    count(call) {
      const { address, failures, until } = current(call);
      const end = failures === 0 ? addMilliseconds(call.now, windowMs) : until;
      counts.set(address, { failures: failures + 1, until: end });
    },
  };
}
