import { sql } from 'kysely';
import type { JobServer } from '../../core/kind/kind.ts';
import { message } from '../../lib/texts/message.ts';
import type { Query } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/statement.ts';
import type { JobKind } from '../../platform/jobs/job.ts';
import { fanOut } from './changes.ts';
import { unlinkPreviousTarget } from './destination.ts';
import { dueRows, nextDue } from './ledger.ts';
import { clearPause, pausedFor, storePause } from './pause.ts';
import { MappingError } from './payload.ts';
import { type Batch, type BatchResult, pushBatch } from './push-batch.ts';
import { SyncStopped, Unavailable } from './remote.ts';
import { currentRun, endRun, isDiscovery, queueProvider, requestRun, stepRun, syncProviderJob } from './run.ts';
import { activeProviders, isActive, loadTarget, type SyncKind } from './target.ts';

/** A job yields to others after this long and queues itself again. */
const sliceMs = 10_000;
const batchSize = 100;
const fullRunEveryMs = 4 * 60 * 60 * 1_000;

const anyChange = statement<[], unknown>(() => sql`select 1 as found from sync_changes limit 1`);

/** The jobs of outgoing sync, over all kinds of target. */
export function syncJobs(server: JobServer, kinds: readonly SyncKind[]): JobKind[] {
  const { db } = server;
  const changes: JobKind = {
    name: 'sync_changes',
    summary: 'Notify sync providers of changed users and groups.',
    oneAtATime: true,
    deleteWhenDone: true,
    hasWork: async (query) => (await anyChange(query)).length > 0,
    wokenBy: 'sync_changes',
    async run() {
      await fanOut(server, kinds);
      return undefined;
    },
  };
  const provider: JobKind<{ provider: number }> = {
    name: syncProviderJob,
    summary: 'Push users and groups to the target of a provider.',
    lane: 'bulk',
    isOutgoing: true,
    oneAtATime: 'by key',
    deleteWhenDone: true,
    async run({ payload, signal }) {
      await work(server, kinds, payload.provider, signal);
      return undefined;
    },
  };
  const everything: JobKind = {
    name: 'sync_all',
    summary: 'Start a full run of each provider that pushes users and groups.',
    everyMs: fullRunEveryMs,
    async run() {
      const { now } = server.systemCall();
      const active = await activeProviders(db.read, kinds);
      await db.write(async (tx) => {
        for (const { pk } of active) await requestRun(server.jobs(), tx, pk, now);
      });
      return `${active.length} started`;
    },
  };
  return [changes, provider, everything];
}

/** Pushes due objects and continues a run, until everything is done, the target fails or the time is up. */
async function work(
  server: JobServer,
  kinds: readonly SyncKind[],
  provider: number,
  signal: AbortSignal,
): Promise<void> {
  const { db } = server;
  const kind = await kindOf(db.read, kinds, provider);
  if (!kind) return;
  const wait = await pausedFor(server.systemCall(), provider);
  if (wait > 0) return db.write((tx) => queueProvider(server.jobs(), tx, provider, wait));
  const until = Date.now() + sliceMs;
  try {
    while (!signal.aborted && Date.now() < until) {
      const call = server.systemCall();
      // Reloaded each time: an administrator may have changed the provider or its mappings.
      const target = await loadTarget(server.engine(), call, kind, provider);
      if (!target) return;
      await unlinkPreviousTarget(call, target);
      const batch: Batch = { target, connection: await kind.open(target), call, signal, until };
      const run = await currentRun(db.read, provider);
      // What is there already is linked before anything is created: not every target refuses a name that is taken.
      if (run && isDiscovery(run)) {
        const halt = await stepRun(batch, run);
        if (halt) return await pause(server, provider, halt);
        continue;
      }
      const { halt, count } = await pushDue(batch);
      const halted = halt ?? (run && (await stepRun(batch, run)));
      if (halted) return await pause(server, provider, halted);
      if (count === 0 && !run) break;
    }
  } catch (error) {
    if (!(error instanceof Unavailable) && !(error instanceof SyncStopped)) throw error;
    return pause(server, provider, error);
  }
  await db.write(async (tx) => {
    await clearPause(tx, provider);
    const next = (await currentRun(tx, provider)) ? 0 : await nextDue(server.systemCall(), tx, provider);
    if (next !== null) await queueProvider(server.jobs(), tx, provider, Math.max(next, 0));
  });
}

async function kindOf(query: Query, kinds: readonly SyncKind[], provider: number): Promise<SyncKind | null> {
  const { rows } = await sql<{ kind: string }>`select kind from providers where pk = ${provider}`.execute(query);
  const kind = kinds.find(({ model }) => model === rows[0]?.kind);
  return kind && (await isActive(query, kind, provider)) ? kind : null;
}

/** Users before groups: groups name users by what the target calls them. */
async function pushDue(batch: Batch): Promise<{ halt: BatchResult['halt']; count: number }> {
  const { call, target } = batch;
  let count = 0;
  for (const type of ['user', 'group'] as const) {
    const rows = await dueRows(call, target.pk, type, batchSize);
    if (rows.length === 0) continue;
    count += rows.length;
    const { halt } = await pushBatch(
      batch,
      type,
      rows.map(({ object }) => object),
    );
    if (halt) return { halt, count };
  }
  return { halt: null, count };
}

/** Leaves the target alone for a while. A run that cannot succeed ends. */
async function pause(server: JobServer, provider: number, halt: Unavailable | SyncStopped): Promise<void> {
  const { db } = server;
  const call = server.systemCall();
  await db.write(async (tx) => {
    const atLeastMs = halt instanceof Unavailable ? halt.retryAfterMs : minStopMs;
    const wait = await storePause(call, tx, provider, { message: halt.message, atLeastMs });
    if (halt instanceof SyncStopped) {
      const run = await currentRun(tx, provider);
      if (run) await endRun(call, tx, run.pk, 'failed', `Stopping sync due to error: ${halt.message}`);
      if (halt instanceof MappingError && run) {
        const { expression, message: reason } = halt.failure;
        await call.world.record(tx, call, {
          action: 'configuration_error',
          app: 'svc_core',
          context: {
            message: message('A mapping stopped the sync of a provider: {reason}', { reason }),
            expression,
            provider,
          },
        });
      }
    }
    await queueProvider(server.jobs(), tx, provider, wait);
  });
}

/** Errors that only an administrator can fix are retried rarely; saving the provider retries immediately. */
const minStopMs = 10 * 60 * 1_000;
