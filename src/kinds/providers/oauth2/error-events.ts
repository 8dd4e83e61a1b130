import type { UserFacts } from '../../../core/mapping/user-facts.ts';
import type { Database } from '../../../platform/db/database.ts';
import { createSharedLimit, createSharedNetworkLimit } from '../../../platform/limits/shared-rate-limit.ts';
import { createDenials, type Denials } from '../../../provider/authorize/denials.ts';
import type { Call, NewEvent } from '../../../resource/call.ts';
import type { Client } from './client.ts';
import { callAs, sharedSubjectEvent, wrongRedirectEvent } from './events.ts';

/**
 * Tells administrators of refusals that they may have caused. Strangers cannot fill the log by it, nor people who try
 * again.
 */
export interface ErrorEvents {
  /** That the policies of an application turned away whom the call is made as. */
  readonly denied: Denials;
  /** Tokens were refused to a user who shares a subject with others. */
  sharedSubject(call: Call, client: Client, user: UserFacts): Promise<void>;
  /** That a request named an address to return to that the provider does not have. */
  wrongRedirect(
    call: Call,
    client: Client,
    parameter: 'redirect_uri' | 'post_logout_redirect_uri',
    address: string,
  ): Promise<void>;
}

const windowMs = 10 * 60_000;

/**
 * Administrators are notified of the first wrong address of a provider in this time, and of so many providers; all are
 * recorded.
 */
const notifiedEveryMs = 3_600_000;
const maxNotified = 5;

export function createErrorEvents(db: Database): ErrorEvents {
  const limit = (name: string, max: number, ms = windowMs) =>
    createSharedLimit({ db, name: `oauth2 ${name}`, max, windowMs: ms });
  const subjects = limit('shared subjects', 3);
  const byNetwork = createSharedNetworkLimit({ db, name: 'oauth2 wrong redirects by network', max: 5, windowMs });
  const inAll = limit('wrong redirects', 30);
  const byProvider = limit('notified redirects by provider', 1, notifiedEveryMs);
  const notified = limit('notified redirects', maxNotified, notifiedEveryMs);
  const record = (call: Call, event: NewEvent) => call.db.write((tx) => call.world.record(tx, call, event));
  return {
    denied: createDenials(db, 'svc_providers_oauth2'),
    async sharedSubject(call, client, user) {
      if (subjects.waitAfter(`${user.pk} ${client.pk}`) > 0) return;
      await record(call.actor ? call : callAs(call, user), sharedSubjectEvent(client, user));
    },
    async wrongRedirect(call, client, parameter, address) {
      // A network beyond its limit does not count towards the total.
      if (byNetwork.waitAfter(call.request.clientIp) > 0 || inAll.waitAfter('') > 0) return;
      // Otherwise anyone with a client id could flood administrators' inboxes.
      const isQuiet = byProvider.waitAfter(String(client.pk)) > 0 || notified.waitAfter('') > 0;
      await record(call, { ...wrongRedirectEvent(client, parameter, address), isQuiet });
    },
  };
}
