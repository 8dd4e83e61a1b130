import { type AccessResult, switchedOff } from '../../core/application/application-access.ts';
import type { Words } from '../../lib/texts/message.ts';
import type { Database } from '../../platform/db/database.ts';
import { createSharedLimit } from '../../platform/limits/shared-rate-limit.ts';
import { nameDeciders } from '../../policy/deciders.ts';
import type { Call, NewEvent } from '../../resource/call.ts';
import type { ClientApplication } from '../client-application.ts';

type Named = Pick<ClientApplication, 'pk' | 'name'>;

/**
 * Records that the policies of an application turned away whom the call is made as. Who tries again is not recorded
 * each time.
 */
export type Denials = (
  call: Call,
  provider: { readonly pk: number; readonly application: Named },
  answer: AccessResult | undefined,
) => Promise<void>;

/** An application as events name it. */
export const applicationFacts = ({ pk, name }: Named) => ({
  app: 'svc_core',
  model_name: 'application',
  pk: pk.replaceAll('-', ''),
  name,
});

const windowMs = 10 * 60_000;

/** `app` is the emitter of the events. */
export function createDenials(db: Database, app: string): Denials {
  const limit = createSharedLimit({ db, name: `${app} denials`, max: 3, windowMs });
  return async (call, provider, answer) => {
    if (limit.waitAfter(`${call.actor?.user.pk} ${provider.pk}`) > 0) return;
    const deciders = await nameDeciders(answer?.deciders ?? [], call.db.read);
    const decidedBy = deciders.map(({ name }) => name);
    await call.db.write((tx) => call.world.record(tx, call, deniedEvent(app, provider.application, answer, decidedBy)));
  };
}

const maxReasons = 20;

/** Records that the policies of an application denied access, and their messages. */
const deniedEvent = (
  app: string,
  application: Named,
  answer: Pick<AccessResult, 'messages' | 'logs'> | undefined,
  decidedBy: readonly Words[],
): NewEvent => ({
  action: 'policy_execution',
  app,
  context: {
    message:
      answer === switchedOff
        ? 'The application is disabled.'
        : 'The bindings of the application deny access to the user.',
    application: applicationFacts(application),
    result: { passing: false, messages: (answer?.messages ?? []).slice(0, maxReasons) },
    decided_by: decidedBy.slice(0, maxReasons),
    reasons: (answer?.logs ?? []).slice(0, maxReasons).map(({ text }) => text),
  },
});
