import { sql } from 'kysely';
import { type SyncRun, syncTaskOf } from '../../core/system/sync-task.ts';
import { slugify } from '../../lib/slugify.ts';
import type { Query } from '../../platform/db/database.ts';
import { requireActor } from '../../resource/call.ts';
import { actionOn } from '../../resource/define.ts';
import {
  arrayOf,
  booleanSchema,
  integerSchema,
  type JsonSchema,
  objectSchema,
  orNull,
  stringSchema,
  timeSchema,
} from '../../resource/document/json-schema.ts';

interface RunRow extends SyncRun {
  readonly total: number;
  readonly done: number;
  readonly failed: number;
  readonly message: string;
}

const runSchema: JsonSchema = objectSchema({
  state: { type: 'string', enum: ['running', 'done', 'failed'] },
  phase: stringSchema,
  total: integerSchema,
  done: integerSchema,
  left: integerSchema,
  failed: integerSchema,
  message: stringSchema,
  started: timeSchema,
  finished: orNull(timeSchema),
});

const statusSchema: JsonSchema = objectSchema({
  is_running: booleanSchema,
  tasks: arrayOf({ $ref: '#/components/schemas/SystemTask' }),
  last_successful_sync: orNull(timeSchema),
  run: orNull(runSchema),
  outstanding: integerSchema,
  failed: integerSchema,
  paused_until: orNull(timeSchema),
  message: stringSchema,
});

/** The synchronization status of a provider: the current or last run, and what is outstanding. */
export const statusAction = actionOn<{ pk: number; name: string }>()({
  name: 'sync/status',
  on: 'row',
  method: 'GET',
  page: { button: 'Sync status' },
  summary: 'Show the status of the sync',
  access: 'visible',
  answer: { status: 200, schema: statusSchema, schemaName: 'SyncStatus' },
  async run({ call, row }) {
    const { read } = call.db;
    const { rows: runs } = await sql<RunRow>`select pk, state, phase, total, done, failed, message, started, finished
      from sync_runs where provider = ${row.pk} order by started desc, pk desc`.execute(read);
    const { rows: counts } = await sql<{ outstanding: number | string; failed: number | string }>`select
      count(due) as outstanding, count(case when error <> '' then 1 end) as failed
      from sync_objects where provider = ${row.pk}`.execute(read);
    const paused = await pauseOf(read, row.pk);
    const [latest] = runs;
    const maySeeTasks = requireActor(call).holds('svc_events.view_systemtask');
    return {
      is_running: latest?.state === 'running',
      tasks: maySeeTasks ? runs.map((run) => taskOf(run, row.name)) : [],
      last_successful_sync: runs.find(({ state }) => state === 'done')?.finished ?? null,
      run: latest ? shownRun(latest) : null,
      outstanding: Number(counts[0]?.outstanding ?? 0),
      failed: Number(counts[0]?.failed ?? 0),
      paused_until: paused?.paused_until ?? null,
      message: paused?.message ?? '',
    };
  },
});

async function pauseOf(query: Query, provider: number) {
  const { rows } = await sql<{ paused_until: string | null; message: string }>`select paused_until, message
    from sync_targets where provider = ${provider}`.execute(query);
  return rows[0];
}

const shownRun = ({ pk: _, ...run }: RunRow) => ({ ...run, left: Math.max(run.total - run.done - run.failed, 0) });

function taskOf(run: RunRow, provider: string) {
  const counts = `${run.done} of ${run.total} objects done, ${run.failed} failed.`;
  return syncTaskOf(run, {
    job: 'sync_provider',
    uid: slugify(provider),
    description: `Full sync of ${provider}`,
    failed: run.failed,
    messages: [run.state === 'failed' ? run.message : `${counts} ${run.message}`.trim()],
  });
}
