import { type RawBuilder, sql } from 'kysely';
import type { Query } from '../../platform/db/database.ts';
import type { Jobs } from '../../platform/jobs/job.ts';
import { orderedUuid } from '../../platform/random.ts';
import type { Call } from '../../resource/call.ts';
import { discover } from './discover.ts';
import type { ObjectType } from './facts.ts';
import { clearPause } from './pause.ts';
import { type Batch, type BatchResult, pushBatch } from './push-batch.ts';
import { isOfObject, SyncStopped, Unavailable } from './remote.ts';
import { countScope, isStale, pageOfScope } from './scope.ts';

/** A full run over everything that a provider has in scope. It goes on from `position` after a crash. */
export interface Run {
  readonly pk: string;
  readonly phase: Phase;
  /** The key of the last object of the phase that was handled. */
  readonly position: string;
}

const phases = ['discover users', 'discover groups', 'users', 'groups', 'sweep', 'end'] as const;
export type Phase = (typeof phases)[number];

/** Whether a run is still in its discovery phase. */
export const isDiscovery = ({ phase }: Run): boolean => phase.startsWith('discover');

export const syncProviderJob = 'sync_provider';
const pageSize = 100;
const runsKept = 10;

/** Queues work for a provider, to be looked at now or later. */
export const queueProvider = (jobs: Jobs, tx: Query, provider: number, delayMs = 0): Promise<void> =>
  jobs.enqueue(tx, {
    kind: syncProviderJob,
    payload: { provider },
    key: `${syncProviderJob}:${provider}`,
    delayMs,
  });

/** Starts a full run. A current one is restarted if `restarts` is set: the provider has changed. */
export async function requestRun(
  jobs: Jobs,
  tx: Query,
  provider: number,
  now: string,
  { restarts = false } = {},
): Promise<void> {
  const { rows } = await sql`select 1 from sync_runs where provider = ${provider} and state = 'running'`.execute(tx);
  if (rows.length === 0) {
    await sql`insert into sync_runs (pk, provider, state, phase, started) values (${orderedUuid()}, ${provider}, 'running', ${phases[0]}, ${now})`.execute(
      tx,
    );
    await sql`delete from sync_runs where provider = ${provider} and pk not in (select pk from sync_runs
      where provider = ${provider} order by started desc, pk desc limit ${runsKept})`.execute(tx);
  } else if (restarts) {
    await sql`update sync_runs set phase = ${phases[0]}, position = '', total = 0, done = 0, failed = 0
      where provider = ${provider} and state = 'running'`.execute(tx);
  }
  await clearPause(tx, provider);
  await queueProvider(jobs, tx, provider);
}

export async function currentRun(query: Query, provider: number): Promise<Run | null> {
  const { rows } = await sql<Run>`select pk, phase, position from sync_runs
    where provider = ${provider} and state = 'running' order by started limit 1`.execute(query);
  return rows[0] ?? null;
}

/** Does the next piece of a run. Answers why it cannot go on, if so. */
export async function stepRun(batch: Batch, run: Run): Promise<BatchResult['halt']> {
  const { db } = batch.call;
  switch (run.phase) {
    case 'discover users':
      return discoverAll(batch, run, 'user');
    case 'discover groups':
      return discoverAll(batch, run, 'group');
    case 'users':
      return pushPage(batch, run, 'user');
    case 'groups':
      return pushPage(batch, run, 'group');
    case 'sweep':
      await db.write(async (tx) => {
        await markStale(batch, tx);
        await advance(tx, run);
      });
      return null;
    case 'end':
      await db.write((tx) => endRun(batch.call, tx, run.pk, 'done', ''));
      return null;
  }
}

async function discoverAll(batch: Batch, run: Run, type: ObjectType): Promise<BatchResult['halt']> {
  const { db } = batch.call;
  try {
    await discover(batch, type, run.pk);
  } catch (error) {
    if (error instanceof Unavailable || error instanceof SyncStopped) return error;
    if (!isOfObject(error)) throw error;
    // A target that does not list its objects can still be written to.
  }
  if (batch.signal.aborted) return null;
  const total = (await countScope(db.read, batch.target, 'user')) + (await countScope(db.read, batch.target, 'group'));
  await db.write((tx) => advance(tx, run, sql`, total = ${total}`));
  return null;
}

async function pushPage(batch: Batch, run: Run, type: ObjectType): Promise<BatchResult['halt']> {
  const { db } = batch.call;
  const keys = await pageOfScope(db.read, batch.target, type, run.position, pageSize);
  if (keys.length === 0) {
    await db.write((tx) => advance(tx, run));
    return null;
  }
  const { halt } = await pushBatch(batch, type, keys, {
    verifies: type === 'group',
    async also(tx, { done, failed, halt, last }) {
      if (halt || last === undefined) return;
      await sql`update sync_runs set position = ${String(last)}, done = done + ${done}, failed = failed + ${failed}
        where pk = ${run.pk} and phase = ${run.phase}`.execute(tx);
    },
  });
  return halt;
}

/** Advances to the next phase, unless the run was restarted. */
async function advance(tx: Query, { pk, phase }: Run, also: RawBuilder<unknown> = sql``): Promise<void> {
  const next = phases[phases.indexOf(phase) + 1] ?? 'end';
  await sql`update sync_runs set phase = ${next}, position = ''${also} where pk = ${pk} and phase = ${phase}`.execute(
    tx,
  );
}

/** Objects that have left the scope are removed by the following pushes. */
async function markStale({ target, call }: Batch, tx: Query): Promise<void> {
  for (const type of ['user', 'group'] as const) {
    await sql`update sync_objects set pending = pending + 1, due = ${call.db.dialect.moment(call.now)}, attempts = 0
      where provider = ${target.pk} and ${isStale(target, type)}`.execute(tx);
  }
}

export async function endRun(
  { db, now }: Call,
  tx: Query,
  pk: string,
  state: 'done' | 'failed',
  message: string,
): Promise<void> {
  await sql`update sync_runs set state = ${state}, message = trim(message || ' ' || ${message}), finished = ${db.dialect.moment(now)}
    where pk = ${pk} and state = 'running'`.execute(tx);
}
