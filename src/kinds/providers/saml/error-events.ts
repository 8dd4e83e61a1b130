import type { UserFacts } from '../../../core/mapping/user-facts.ts';
import type { Database } from '../../../platform/db/database.ts';
import { createSharedLimit, createSharedNetworkLimit } from '../../../platform/limits/shared-rate-limit.ts';
import { applicationFacts, createDenials, type Denials } from '../../../provider/authorize/denials.ts';
import type { Call } from '../../../resource/call.ts';
import { samlApp } from './models.ts';
import type { ServiceProvider } from './service-provider.ts';

/** Tells administrators of refusals that they may have caused. Strangers cannot fill the log by it. */
export interface SamlErrorEvents {
  /** That the policies of an application turned away whom the call is made as. */
  readonly denied: Denials;
  /** That a user was not signed in because the service provider could take them for another. */
  ambiguousName(call: Call, provider: ServiceProvider, user: UserFacts, attribute: string): Promise<void>;
  /** That a message could not be taken, or not be answered. */
  wrongMessage(call: Call, provider: ServiceProvider, message: string): Promise<void>;
}

const windowMs = 10 * 60_000;

export function createSamlErrorEvents(db: Database): SamlErrorEvents {
  const limit = (name: string, max: number) => createSharedLimit({ db, name: `saml ${name}`, max, windowMs });
  const names = limit('ambiguous names', 3);
  const byNetwork = createSharedNetworkLimit({ db, name: 'saml wrong messages by network', max: 5, windowMs });
  const inAll = limit('wrong messages', 30);
  return {
    denied: createDenials(db, samlApp),
    async ambiguousName(call, provider, { pk, username }, attribute) {
      if (names.waitAfter(`${pk} ${provider.pk}`) > 0) return;
      const message = `The login was rejected: the service provider identifies users by ${attribute}, and another user has the same value. Give each user a unique ${attribute}.`;
      const context = { message, subject_of: { pk, username }, ...factsOf(provider) };
      await call.db.write((tx) =>
        call.world.record(tx, call, { action: 'configuration_error', app: samlApp, context }),
      );
    },
    async wrongMessage(call, provider, message) {
      // A network beyond its limit does not count towards the total.
      if (byNetwork.waitAfter(call.request.clientIp) > 0 || inAll.waitAfter('') > 0) return;
      const event = { action: 'configuration_error', app: samlApp, context: { message, ...factsOf(provider) } };
      // Anonymous callers can send messages, so they are only logged: events could flood the inboxes of administrators.
      await call.db.write((tx) => call.world.record(tx, call, { ...event, isQuiet: true }));
    },
  };
}

/** A provider and its application as events name them. */
export const factsOf = ({ pk, name, application }: ServiceProvider) => ({
  provider: { app: samlApp, model_name: 'samlprovider', pk, name },
  application: applicationFacts(application),
});
