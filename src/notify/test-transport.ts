import { languageOfCaller } from '../core/brand/language.ts';
import { loadUserFacts } from '../core/mapping/user-facts.ts';
import { Invalid } from '../lib/problem.ts';
import { message } from '../lib/texts/message.ts';
import { say } from '../lib/texts/translate.ts';
import type { JobWarning } from '../platform/jobs/job.ts';
import type { Log } from '../platform/log.ts';
import { randomUuid } from '../platform/random.ts';
import { requireActor } from '../resource/call.ts';
import { actionOn } from '../resource/define.ts';
import { arrayOf, objectSchema, stringSchema } from '../resource/document/json-schema.ts';
import type { ActionInput } from '../resource/resource.ts';
import { modelFacts } from '../resource/write/audit.ts';
import { isDryRun } from '../resource/write/write.ts';
import { loadTransport } from './load.ts';
import { type Message, type StoredTransport, type TransportKind, Undelivered } from './transport-kind.ts';

interface Tried {
  readonly kind: TransportKind;
  readonly transport: StoredTransport;
  readonly message: Message;
  readonly said: string | JobWarning | null;
}

/** Sends a test message to the caller. */
export const testTransport = (transports: readonly TransportKind[], log: Log) =>
  actionOn<{ pk: string }>()({
    name: 'test',
    on: 'row',
    method: 'POST',
    page: { button: 'Send a test' },
    summary: 'Send a test message by a transport',
    access: 'change',
    answer: {
      status: 200,
      schema: objectSchema({ messages: arrayOf(stringSchema) }),
      schemaName: 'NotificationTransportTest',
    },
    prepare: (input) => trySending(transports, log, input),
    async run({ tx, call, row, registry, prepared: { kind, transport, message: sent, said } }) {
      const stored = await kind.store?.(sent, tx);
      const model = modelFacts(registry.require('svc_events.notificationtransport'), transport.pk, row);
      const text = message('A test message was sent by {name}.', { name: transport.name });
      await call.world.record(tx, call, {
        action: 'system_task_execution',
        app: 'svc_events',
        context: { message: text, model },
      });
      return { messages: [typeof said === 'string' ? said : (said?.warning ?? stored ?? 'Nothing was sent.')] };
    },
  });

const testText = 'Test notification from Gatehouse by {name}';

async function trySending(
  transports: readonly TransportKind[],
  log: Log,
  { call, row }: Pick<ActionInput<{ pk: string }>, 'call' | 'row'>,
): Promise<Tried> {
  const { read } = call.db;
  const transport = await loadTransport(read, row.pk);
  const kind = transports.find(({ mode }) => mode === transport?.mode);
  const user = await loadUserFacts(read, requireActor(call).user.pk);
  if (!transport || !kind || !user) throw Invalid.whole('The transport cannot be tested.');
  const message: Message = {
    pk: randomUuid(),
    severity: 'notice',
    body: say('en', testText, { name: transport.name }),
    text: say(languageOfCaller(call), testText, { name: transport.name }),
    now: call.now,
    user,
    event: null,
  };
  if (isDryRun(call) || !kind.send) return { kind, transport, message, said: null };
  try {
    return { kind, transport, message, said: await kind.send(message, transport) };
  } catch (error) {
    if (!(error instanceof Undelivered)) throw error;
    log.warn({ err: error, transport: transport.pk }, 'a test message could not be sent');
    throw Invalid.whole(error.message);
  }
}
