import { languageOfUser } from '../core/brand/language.ts';
import { MappingFailed } from '../core/mapping/evaluate.ts';
import { loadUserFacts } from '../core/mapping/user-facts.ts';
import { message } from '../lib/texts/message.ts';
import type { Query } from '../platform/db/database.ts';
import { type JobKind, type Jobs, type JobWarning, PermanentFailure } from '../platform/jobs/job.ts';
import type { Call } from '../resource/call.ts';
import { createCircuitBreaker } from './circuit-breaker.ts';
import { loadEvents, loadMessages, loadTransport } from './load.ts';
import {
  type Message,
  type StoredTransport,
  summaryOf,
  type TransportKind,
  Undeliverable,
  Undelivered,
} from './transport-kind.ts';

interface Dependencies {
  readonly transports: readonly TransportKind[];
  callWithoutNotifications(): Call;
}

/** One message for one person by one transport. */
export interface Delivery {
  /** Becomes the key of the stored notification, so retries store it once. */
  readonly pk: string;
  readonly event: string;
  readonly severity: string;
  readonly user: number;
  /** Null: it is only shown in the pages. */
  readonly transport: string | null;
}

const kindName = 'deliver_notification';
const shownInPages: StoredTransport = { pk: '', name: 'local', mode: 'local', webhook_url: '', expression: null };

export const deliver = (jobs: Jobs, tx: Query, delivery: Delivery): Promise<void> =>
  jobs.enqueue(tx, {
    kind: kindName,
    payload: delivery,
    // One at a time: a slow receiver must not hold up others.
    ...(delivery.transport !== null && { alone: `${kindName} ${delivery.transport}` }),
  });

export function deliverJob({ transports, callWithoutNotifications }: Dependencies): JobKind<Delivery> {
  const breaker = createCircuitBreaker();
  return {
    name: kindName,
    summary: 'Deliver a notification.',
    lane: 'bulk',
    isOutgoing: true,
    async run({ payload }) {
      const delivery = payload;
      const call = callWithoutNotifications();
      const { read } = call.db;
      const transport = delivery.transport === null ? shownInPages : await loadTransport(read, delivery.transport);
      if (!transport) return 'The transport is gone.';
      const [event] = await loadEvents(read, [delivery.event]);
      if (!event) return 'The event is gone.';
      const user = await loadUserFacts(read, delivery.user);
      if (!user?.is_active) return 'The user is gone or not active.';
      const { pk, severity } = delivery;
      const messages = await loadMessages(read, event.pk);
      const text = summaryOf(languageOfUser(user.attributes, 'en'), event, messages);
      const message = { pk, severity, body: summaryOf('en', event, null), text, now: call.now, user, event };
      const said = await breaker
        .try(transport.pk, () => sendBy(transports, transport, message, call))
        .catch((error) => {
          if (!(error instanceof Undelivered)) throw error;
          const Failure = error instanceof Undeliverable ? PermanentFailure : Error;
          throw new Failure(`${transport.name}: ${error.message}`, { cause: error.cause });
        });
      return typeof said === 'object'
        ? { warning: `${transport.name}: ${said.warning}` }
        : `${transport.name}: ${said}`;
    },
    /** Records that a notification failed, and why. */
    async afterFailure(tx, { payload, message: reason, error }) {
      const call = callWithoutNotifications();
      const { event, transport } = payload;
      const mapping = error instanceof Error && error.cause instanceof MappingFailed ? error.cause.event() : null;
      await call.world.record(tx, call, {
        action: mapping?.action ?? 'system_task_exception',
        app: 'svc_events',
        context: {
          ...mapping?.context,
          message: message('A notification could not be delivered. {reason}', { reason }),
          task: kindName,
          event,
          transport,
        },
      });
    },
  };
}

async function sendBy(
  transports: readonly TransportKind[],
  transport: StoredTransport,
  message: Message,
  { db }: Call,
): Promise<string | JobWarning> {
  const kind = transports.find(({ mode }) => mode === transport.mode);
  if (!kind) throw new Undeliverable(`This server has no transports of the kind ${transport.mode}.`);
  const sent = await kind.send?.(message, transport);
  const stored = await (kind.store && db.write((tx) => kind.store?.(message, tx) ?? Promise.resolve('')));
  return sent ?? stored ?? '';
}
