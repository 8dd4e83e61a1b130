import { sql } from 'kysely';
import { Invalid } from '../../lib/problem.ts';
import { addMilliseconds, fromTimestamp } from '../../platform/clock.ts';
import type { Query } from '../../platform/db/database.ts';
import type { Jobs } from '../../platform/jobs/job.ts';
import { actionOn, defineResource } from '../../resource/define.ts';
import {
  arrayOf,
  booleanSchema,
  type JsonSchema,
  orNull,
  stringSchema,
  timeSchema,
} from '../../resource/document/json-schema.ts';
import { logSchema } from '../../resource/document/log-schema.ts';
import { computed } from '../../resource/fields/computed.ts';
import { hidden, type RowAlias } from '../../resource/fields/field.ts';
import { time } from '../../resource/fields/scalar.ts';
import { choicesFor, text } from '../../resource/fields/text.ts';
import { notAvailable } from '../../resource/list/query.ts';
import type { Filter, Resource } from '../../resource/resource.ts';
import { modelFacts } from '../../resource/write/audit.ts';
import { jobsAreKeptMs } from '../cleanup/cleanup.jobs.ts';

const statuses = ['unknown', 'successful', 'warning', 'error'] as const;
const statusSchema: JsonSchema = { type: 'string', enum: statuses };

/** A job that waits for a retry has failed, but not permanently. */
const statusSql = (row: RowAlias) => sql<string>`case when ${row.col('state')} = 'done' then 'successful'
  when ${row.col('state')} = 'failed' then 'error' when ${row.col('message')} <> '' then 'warning' else 'unknown' end`;

const hiddenText = text(hidden);
const hiddenTime = time({ ...hidden, nullable: true });

/** Background jobs and their outcomes. */
export function systemTaskResource(jobs: Jobs): Resource {
  return defineResource({
    path: '/events/system_tasks/',
    param: 'uuid',
    key: 'uuid',
    keyName: 'uuid',
    model: 'svc_events.systemtask',
    schema: 'SystemTask',
    names: ['System Task', 'System Tasks'],
    labels: ['Job', 'Jobs'],
    table: 'jobs',
    order: ['-created'],
    page: {
      columns: ['name', 'status', 'start_timestamp', 'description'],
      notInSearch: 'There is one for each run of a job; the maintenance page shows the last ones.',
    },
    search: ['kind', 'message'],
    verbs: ['list', 'retrieve'],
    nameOf: (row) => row.kind,
    filters: { name: nameFilter, uid: uidFilter, status: statusFilter },
    fields: {
      name: computed(stringSchema, (row) => row.col('kind')),
      status: { ...computed(statusSchema, statusSql), labels: { unknown: 'Waiting' } },
      kind: hiddenText,
      state: hiddenText,
      message: hiddenText,
      created: time(hidden),
      started: hiddenTime,
      finished: hiddenTime,
    },
    derived: {
      full_name: { schema: stringSchema, from: (row) => `${row.kind}:${row.pk}` },
      uid: { schema: stringSchema, from: (row) => row.pk },
      description: { schema: stringSchema, from: (row) => jobs.kinds.get(row.kind)?.summary ?? '' },
      start_timestamp: { schema: timeSchema, from: startOf },
      finish_timestamp: { schema: timeSchema, from: endOf },
      duration: {
        schema: { type: 'number', format: 'double' },
        from: (row) => secondsBetween(startOf(row), endOf(row)),
      },
      messages: { schema: arrayOf(logSchema), from: messagesOf },
      expires: {
        schema: orNull(timeSchema),
        from: ({ finished }) => finished && addMilliseconds(finished, jobsAreKeptMs),
      },
      expiring: { schema: booleanSchema, from: ({ finished }) => finished !== null },
    },
    actions: [runAction(jobs)],
  });
}

interface Times {
  readonly created: string;
  readonly started: string | null;
  readonly finished: string | null;
}

const startOf = ({ started, created }: Times): string => started ?? created;
/** An unfinished job has taken no time. */
const endOf = (row: Times): string => row.finished ?? startOf(row);
const secondsBetween = (from: string, to: string) =>
  (fromTimestamp(to).getTime() - fromTimestamp(from).getTime()) / 1_000;

const levels: Readonly<Record<string, string>> = { done: 'info', failed: 'error' };

function messagesOf(row: Times & { readonly state: string; readonly message: string }) {
  if (row.message === '') return [];
  const log_level = levels[row.state] ?? 'warning';
  return [{ timestamp: endOf(row), log_level, logger: 'gatehouse.jobs', event: row.message, attributes: {} }];
}

const nameFilter: Filter = {
  schema: stringSchema,
  condition: ({ texts, row }) => sql`${row.col('kind')} = ${texts.at(-1) ?? ''}`,
};

const uidFilter: Filter = {
  schema: stringSchema,
  condition: ({ texts, row, dialect }) => sql`${dialect.toText(row.col('pk'))} = ${texts.at(-1) ?? ''}`,
};

const statusFilter: Filter = {
  schema: statusSchema,
  condition({ texts, row }) {
    const status = texts.at(-1) ?? '';
    return statuses.some((one) => one === status)
      ? sql`${statusSql(row)} = ${status}`
      : { complaint: `${notAvailable(status)}${choicesFor(status, statuses)}` };
  },
};

async function payloadOf(pk: string, tx: Query): Promise<unknown> {
  const { rows } = await sql<{ payload: string }>`select payload from jobs where pk = ${pk}`.execute(tx);
  return JSON.parse(rows[0]?.payload ?? 'null');
}

/** Runs a scheduled job now, or retries a failed one. */
const runAction = (jobs: Jobs) =>
  actionOn<{ pk: string; kind: string; state: string }>()({
    name: 'run',
    on: 'row',
    method: 'POST',
    page: { button: 'Run again' },
    summary: 'Run a task again',
    access: { permission: 'svc_events.run_task' },
    answer: { status: 204 },
    async run({ tx, call, row, registry }) {
      const kind = jobs.kinds.get(row.kind);
      const isFailed = row.state === 'failed';
      if (!kind || (kind.everyMs === undefined && !isFailed)) {
        throw Invalid.whole('Only scheduled tasks and those that failed can be run again.');
      }
      const payload = isFailed ? await payloadOf(row.pk, tx) : null;
      // One at a time, or a delegate could queue thousands, and send a mail as often.
      await jobs.enqueue(tx, { kind: kind.name, payload, key: `again ${isFailed ? row.pk : kind.name}` });
      const model = modelFacts(registry.require('svc_events.systemtask'), row.pk, row);
      const message = `${kind.name} is run again.`;
      await call.world.record(tx, call, {
        action: 'system_task_execution',
        app: 'svc_events',
        context: { message, model },
      });
    },
  });
