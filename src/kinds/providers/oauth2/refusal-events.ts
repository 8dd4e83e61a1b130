import type { AccessAnswer } from '../../../core/application/application-access.ts';
import { networkOf } from '../../../lib/cidr.ts';
import { createRateLimit } from '../../../lib/rate-limit.ts';
import { nameDeciders } from '../../../policy/deciders.ts';
import type { Call, NewEvent } from '../../../resource/call.ts';
import type { Client } from './client.ts';
import { deniedEvent, wrongRedirectEvent } from './events.ts';

/** Tells administrators of refusals that they may have caused. Strangers cannot fill the log by it, nor people who try again. */
export interface RefusalEvents {
  /** That the policies of an application turned away whom the call is made as. */
  denied(call: Call, client: Client, answer: AccessAnswer | undefined): Promise<void>;
  /** That a request named a redirect address that the provider does not have. */
  wrongRedirect(call: Call, client: Client, redirectUri: string): Promise<void>;
}

const windowMs = 10 * 60_000;

export function createRefusalEvents(): RefusalEvents {
  const denials = createRateLimit({ most: 3, windowMs });
  const byNetwork = createRateLimit({ most: 5, windowMs });
  const inAll = createRateLimit({ most: 30, windowMs, keys: 1 });
  const record = (call: Call, event: NewEvent) => call.db.write((tx) => call.world.record(tx, call, event));
  return {
    async denied(call, client, answer) {
      const who = `${call.actor?.user.pk} ${client.pk}`;
      if (denials.waitAfter(who) > 0) return;
      const deciders = await nameDeciders(answer?.deciders ?? [], call.db.read);
      const names = deciders.map(({ name }) => name);
      await record(call, deniedEvent(client, answer, names));
    },
    async wrongRedirect(call, client, redirectUri) {
      // One network that is over its share does not use up that of all.
      if (byNetwork.waitAfter(networkOf(call.request.clientIp)) > 0 || inAll.waitAfter('') > 0) return;
      await record(call, wrongRedirectEvent(client, redirectUri));
    },
  };
}
