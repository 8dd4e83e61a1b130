import { sql } from 'kysely';
import { checkReadsDirectory } from '../../core/access/directory-readers.ts';
import { messageOf } from '../../lib/error-facts.ts';
import type { Jobs } from '../../platform/jobs/job.ts';
import type { Call } from '../../resource/call.ts';
import { actionOn } from '../../resource/define.ts';
import { arrayOf, objectSchema } from '../../resource/document/json-schema.ts';
import { logSchema } from '../../resource/document/log-schema.ts';
import type { Row } from '../../resource/fields/field.ts';
import { choice, text } from '../../resource/fields/text.ts';
import { modelFacts } from '../../resource/write/audit.ts';
import { isDryRun } from '../../resource/write/write.ts';
import { isLinkedHere } from './destination.ts';
import type { ObjectType } from './facts.ts';
import { loadRows, markDue, newRow } from './ledger.ts';
import { clearPause } from './pause.ts';
import { prepareWork } from './prepare.ts';
import { removeObject, stateOf, writeObject } from './push-object.ts';
import { queueProvider } from './run.ts';
import { keyOf, keysInScope, type ObjectKey } from './scope.ts';
import type { SentRequest } from './send.ts';
import { isActive, loadTarget, type SyncKind, type Target } from './target.ts';

const models: Readonly<Record<string, ObjectType>> = {
  'svc.core.models.User': 'user',
  'svc.core.models.Group': 'group',
};

const body = {
  sync_object_model: choice(Object.keys(models), { help: 'Whether a user or a group is sent.' }),
  sync_object_id: text({ help: 'The key of the user, or the UUID of the group.' }),
};

/** How long a caller waits for the job that sends the object. */
const maxWaitMs = 15_000;
const lookEveryMs = 50;

type Level = 'info' | 'warning' | 'error';

const message = (call: Call, log_level: Level, event: string, attributes: Record<string, unknown> = {}) => ({
  timestamp: call.now,
  log_level,
  logger: 'gatehouse.sync',
  event,
  attributes,
});

const shownRequest = (call: Call, { method, url, at, ...rest }: SentRequest) => ({
  ...message(call, rest.status !== null && rest.status >= 400 ? 'warning' : 'info', `${method} ${url}`, rest),
  timestamp: at,
});

/** Sends one object now; a dry run shows the requests instead of sending them. */
export const objectAction = (kind: () => SyncKind, jobs: () => Jobs) =>
  actionOn<{ pk: number }>()({
    name: 'sync/object',
    on: 'row',
    method: 'POST',
    operation: 'sync_object_create',
    page: { noButton: 'The page Maintenance offers it under Provisioning.' },
    summary: 'Send one user or group now',
    access: 'change',
    body,
    bodySchema: 'SyncObjectRequest',
    answer: { status: 200, schema: objectSchema({ messages: arrayOf(logSchema) }), schemaName: 'SyncObjectResult' },
    async prepare({ call, engine, registry, row, values }) {
      checkReadsDirectory(call.actor);
      const type = models[values.sync_object_model] ?? 'user';
      const key = keyOf(type, values.sync_object_id);
      const target = await loadTarget(engine, call, kind(), row.pk);
      if (!target || key === null) return [];
      // To see what would be sent, no application is needed yet.
      if (!isDryRun(call) && !(await isActive(call.db.read, kind(), row.pk))) {
        return [message(call, 'warning', 'No provider found. Is it assigned to an application?')];
      }
      const [known] = await loadRows(call.db.read, target.pk, type, [key]);
      const inScope = await keysInScope(call.db.read, target, type, [key]);
      if (!known && inScope.length === 0) return [];
      const object = { call, target, type, key };
      if (isDryRun(call)) return tryOut(object);
      await queueObject(object, jobs(), modelFacts(registry.require(kind().model), row.pk, row));
      return waitFor(object);
    },
    run: async ({ prepared }) => ({ messages: prepared }),
  });

interface OneObject {
  readonly call: Call;
  readonly target: Target;
  readonly type: ObjectType;
  readonly key: ObjectKey;
}

/** What would be sent. Reading from the target is allowed. */
async function tryOut({ call, target, type, key }: OneObject) {
  const requests: SentRequest[] = [];
  try {
    const remote = (await target.kind.open(target)).remote(requests, true);
    const [work] = await prepareWork({ target, call }, type, [key], remote[type], false);
    if (work?.error) throw work.error;
    // Links to objects of a former target are removed before anything is sent.
    const isLinked = await isLinkedHere(call.db.read, target);
    const state = work && { ...stateOf(isLinked ? work.row : newRow(key)), digest: null };
    if (work && state && !work.isSkipped) {
      const needs = {
        ...{ type: remote[type], claim: async () => true, now: call.now },
        ...{ isSettling: () => false, isCircle: async () => false },
      };
      if (work.wanted) await writeObject(state, work.wanted, needs);
      else await removeObject(state, target.deleteActions[type], needs);
    }
  } catch (error) {
    return [...requests.map((one) => shownRequest(call, one)), message(call, 'error', messageOf(error))];
  }
  return requests.map((one) => shownRequest(call, one));
}

/** Leaves it to the job that sends everything else, so that nothing overtakes anything. */
async function queueObject({ call, target, type, key }: OneObject, jobs: Jobs, provider: Row): Promise<void> {
  await call.db.write(async (tx) => {
    await markDue(call, tx, target.pk, type, [key]);
    await sql`update sync_objects set digest = null, members = null, requests = '[]'
      where provider = ${target.pk} and ${sql.ref(type)} = ${key}`.execute(tx);
    await clearPause(tx, target.pk);
    await queueProvider(jobs, tx, target.pk);
    const context = { message: 'An object is sent to the target of a provider.', model: provider };
    await call.world.record(tx, call, { action: 'system_task_execution', app: 'svc_core', context });
  });
}

async function waitFor({ call, target, type, key }: OneObject) {
  for (const until = Date.now() + maxWaitMs; Date.now() < until; ) {
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    const { rows } = await sql<{
      pending: number;
      attempts: number;
      error: string;
      requests: string;
    }>`select pending, attempts, error, requests
      from sync_objects where provider = ${target.pk} and ${sql.ref(type)} = ${key}`.execute(call.db.read);
    const [row] = rows;
    if (!row) return [message(call, 'info', 'The object is not in scope and was removed.')];
    if (row.pending > 0 && row.attempts === 0) continue;
    const requests: SentRequest[] = JSON.parse(row.requests);
    const shown = requests.map((one) => shownRequest(call, one));
    return row.error === '' ? shown : [...shown, message(call, 'error', row.error)];
  }
  return [message(call, 'warning', 'The object is queued and will be sent.')];
}
