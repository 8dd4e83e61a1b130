import type { Database } from '../../../platform/db/database.ts';
import { createSharedNetworkLimit } from '../../../platform/limits/shared-rate-limit.ts';
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

const windowMs = 60_000;
const maxSubjects = 20_000;

export function createFailureCount(db: Database): FailureCount {
  const failures = createSharedNetworkLimit({ db, name: 'oauth2', max: 100, windowMs, keys: maxSubjects });
  return {
    check(call, who) {
      if (!failures.isReached(call.request.clientIp, who)) return;
      throw new OAuthError('temporarily_unavailable', 'Too many attempts have failed. Try again in a minute.', {
        status: 429,
        headers: { 'retry-after': String(windowMs / 1000) },
      });
    },
    count: (call, who) => void failures.waitAfter(call.request.clientIp, who),
  };
}
