import { randomUuid } from '../../platform/random.ts';
import { type Call, callOf } from '../../resource/call.ts';
import type { ServerNeeds } from './server-needs.ts';

interface Arrived {
  /** Stands where the method and the user agent of a browser would. */
  readonly protocol: string;
  readonly clientIp: string;
  readonly isSecure: boolean;
}

/** A request of another protocol than HTTP as an anonymous call. */
export function programCall(
  needs: Pick<ServerNeeds, 'clock' | 'db' | 'world'>,
  { protocol, clientIp, isSecure }: Arrived,
): Call {
  const facts = {
    ...{ id: randomUuid().replaceAll('-', ''), method: protocol, path: '', query: new URLSearchParams() },
    ...{ clientIp, userAgent: protocol, host: '', authority: '', isForwarded: false, isSecure, cookies: {} },
    header: () => undefined,
  };
  return callOf({ facts, params: {} }, needs, { now: needs.clock.now() });
}
