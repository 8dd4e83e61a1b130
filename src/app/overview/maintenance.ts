import { type RawBuilder, sql } from 'kysely';
import { addMilliseconds } from '../../platform/clock.ts';
import type { Jobs } from '../../platform/jobs/job.ts';
import { holdsOn, visibleOrNone } from '../../resource/access/access.ts';
import { requireActor } from '../../resource/call.ts';
import type { ActionInput, Registry } from '../../resource/resource.ts';
import { endingWithinMs } from './overview.endpoint.ts';

type Input = Pick<ActionInput, 'call' | 'registry'>;

/** One row more is read, which says that there are more. */
export const maxRows = 200;
const limit = sql`limit ${maxRows + 1}`;

/** The condition for what the caller may see of a model, or null if that is nothing. */
async function visibleWhere({ call, registry }: Input, model: string): Promise<RawBuilder<unknown> | null> {
  const visible = await visibleOrNone(registry.require(model), call, registry);
  return visible === 'none' ? null : (visible ?? sql`1 = 1`);
}

interface JobRow {
  readonly pk: string;
  readonly name: string;
  readonly state: string;
  readonly message: string;
  readonly finished: string | null;
  readonly next_run: string | null;
}

/** The last finished run of each kind of job, or the one that waits, and the time of the next; failed ones first. */
export async function jobRuns(input: Input, jobs: Pick<Jobs, 'kinds'>) {
  const where = await visibleWhere(input, 'svc_events.systemtask');
  if (!where) return [];
  const { rows } = await sql<JobRow>`select pk, name, state, message, finished, next_run from (
      select t.pk, t.kind as name, t.state, t.message, t.finished,
        row_number() over (partition by t.kind order by case when t.state in ('done', 'failed') then 0 else 1 end,
          t.finished desc, t.pk desc) as place,
        min(case when t.state = 'queued' then t.run_at end) over (partition by t.kind) as next_run
      from jobs as t where ${where}) as runs
    where place = 1 order by case when state = 'failed' then 0 else 1 end, name ${limit}`.execute(input.call.db.read);
  const mayRun = requireActor(input.call).holds('svc_events.run_task');
  return rows.map(({ state, ...row }) => {
    const kind = jobs.kinds.get(row.name);
    return {
      ...row,
      description: kind?.summary ?? '',
      status: statusOf(state, row.message),
      may_run: mayRun && kind !== undefined && (kind.everyMs !== undefined || state === 'failed'),
    };
  });
}

/** As lists of jobs say it: one with a message that is not finished has failed before and is tried again. */
function statusOf(state: string, message: string): 'error' | 'successful' | 'warning' | 'waiting' {
  if (state === 'failed') return 'error';
  if (state === 'done') return 'successful';
  return message === '' ? 'waiting' : 'warning';
}

interface EndingToken {
  readonly identifier: string;
  readonly username: string;
  readonly intent: string;
  readonly ends: string | null;
}

/** Tokens that end soon, then those that never end. Rotated ones look after themselves. */
export async function tokens(input: Input) {
  const where = await visibleWhere(input, 'svc_core.token');
  if (!where) return [];
  const { now } = input.call;
  const { rows } = await sql<EndingToken>`select t.identifier, u.username, t.intent,
      case when t.expiring then t.expires end as ends
    from tokens as t join users u on u.pk = t."user"
    where ${where} and t.audience is null and (not t.expiring or t.expires is null
      or (t.expires > ${now} and t.expires < ${addMilliseconds(now, endingWithinMs)}))
    order by case when t.expiring and t.expires is not null then 0 else 1 end, t.expires, t.identifier
    ${limit}`.execute(input.call.db.read);
  return rows;
}

const kindFacts = (registry: Registry, model: string) => {
  const kind = registry.require(model);
  return { type: kind.names[0], path: kind.path };
};

export async function connections(input: Input) {
  const where = await visibleWhere(input, 'svc_outposts.outpostserviceconnection');
  if (!where) return [];
  const { rows } = await sql<{ pk: string; name: string; kind: string }>`select t.pk, t.name, t.kind
    from service_connections as t where ${where} order by t.name ${limit}`.execute(input.call.db.read);
  return rows.map(({ pk, name, kind }) => {
    const { type, path } = kindFacts(input.registry, kind);
    return { pk, name, type, path: `${path}${pk}/` };
  });
}

export async function sources(input: Input) {
  const where = await visibleWhere(input, 'svc_core.source');
  if (!where) return [];
  const { rows } = await sql<{ name: string; slug: string; kind: string; enabled: unknown }>`select t.name, t.slug,
    t.kind, t.enabled from sources as t where ${where} order by t.name ${limit}`.execute(input.call.db.read);
  return rows.map(({ name, slug, kind, enabled }) => {
    const { type, path } = kindFacts(input.registry, kind);
    return { name, type, path: `${path}${encodeURIComponent(slug)}/`, is_enabled: Boolean(enabled) };
  });
}

interface SyncRow {
  readonly pk: number;
  readonly name: string;
  readonly kind: string;
  readonly is_assigned: unknown;
  readonly outstanding: number | string;
  readonly failed: number | string;
  readonly paused_until: string | null;
  readonly message: string | null;
  readonly last_successful: string | null;
  readonly run_state: string | null;
  readonly total: number;
  readonly done: number;
  readonly run_failed: number;
  readonly run_message: string;
  readonly started: string;
  readonly finished: string | null;
}

/** Providers that push users and groups, in one statement. */
export async function syncProviders(input: Input) {
  const { call, registry } = input;
  const where = await visibleWhere(input, 'svc_core.provider');
  if (!where) return [];
  const { rows } = await sql<SyncRow>`select t.pk, t.name, t.kind,
      exists (select 1 from application_backchannel_providers a where a.provider = t.pk) as is_assigned,
      (select count(*) from sync_objects o where o.provider = t.pk and o.due is not null) as outstanding,
      (select count(*) from sync_objects o where o.provider = t.pk and o.error <> '') as failed,
      s.paused_until, s.message,
      (select max(l.finished) from sync_runs l where l.provider = t.pk and l.state = 'done') as last_successful,
      r.state as run_state, r.total, r.done, r.failed as run_failed, r.message as run_message, r.started, r.finished
    from providers as t left join sync_targets s on s.provider = t.pk
      left join sync_runs r on r.pk = (select l.pk from sync_runs l where l.provider = t.pk
        order by l.started desc, l.pk desc limit 1)
    where t.is_backchannel and ${where} order by t.name ${limit}`.execute(call.db.read);
  const actor = requireActor(call);
  return Promise.all(
    rows.map(async (row) => {
      const kind = registry.require(row.kind);
      return {
        pk: row.pk,
        name: row.name,
        ...kindFacts(registry, row.kind),
        is_assigned: Boolean(row.is_assigned),
        may_change: await holdsOn(actor, kind.permission('change'), kind, row.pk, call.db.read),
        outstanding: Number(row.outstanding),
        failed: Number(row.failed),
        paused_until: row.paused_until,
        message: row.message ?? '',
        last_successful: row.last_successful,
        run: row.run_state === null ? null : runOf(row),
      };
    }),
  );
}

const runOf = (row: SyncRow) => ({
  state: row.run_state,
  done: row.done,
  left: Math.max(row.total - row.done - row.run_failed, 0),
  failed: row.run_failed,
  message: row.run_message,
  started: row.started,
  finished: row.finished,
});
