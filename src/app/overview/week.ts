import { sql } from 'kysely';
import { addMilliseconds, fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import { visibleOrNone } from '../../resource/access.ts';
import type { ActionInput } from '../../resource/resource.ts';

const hourMs = 3_600_000;
const hours = 7 * 24;
const maxApplications = 5;
const series = { logins: 'login', logins_failed: 'login_failed', authorizations: 'authorize_application' } as const;

type Input = Pick<ActionInput, 'call' | 'registry'>;

/** Sign-ins, failures and authorizations of the last week by hour; null if the caller may see no events. */
export async function hoursOfAWeek({ call, registry }: Input) {
  const visible = await visibleOrNone(registry.require('svc_events.event'), call, registry);
  if (visible === 'none') return null;
  const end = Math.floor(fromTimestamp(call.now).getTime() / hourMs) * hourMs + hourMs;
  const start = end - hours * hourMs;
  const bucket = call.db.dialect.timeBucket(sql.ref('t.created'), 'hour');
  const { rows } = await sql<{ action: string; bucket: string; events: number | string }>`select t.action,
    ${bucket} as bucket, count(*) as events from events as t
    where t.created >= ${toTimestamp(start)} and t.action in (${sql.join(Object.values(series))})
      ${visible ? sql`and ${visible}` : sql``} group by 1, 2`.execute(call.db.read);
  const countsOf = (action: string): number[] => {
    const counts = new Array<number>(hours).fill(0);
    for (const row of rows) {
      const at = Math.floor((Date.parse(`${row.bucket}Z`) - start) / hourMs);
      if (row.action === action && at >= 0 && at < hours) counts[at] = Number(row.events);
    }
    return counts;
  };
  const named = Object.entries(series).map(([name, action]) => [name, countsOf(action)]);
  return { start: toTimestamp(start), ...Object.fromEntries(named) };
}

interface TopRow {
  readonly context: string;
  readonly events: number | string;
  readonly users: number | string;
}

/** The applications that people signed in to most in the last week. */
export async function topApplications({ call, registry }: Input) {
  const visible = await visibleOrNone(registry.require('svc_events.event'), call, registry);
  if (visible === 'none') return [];
  const since = addMilliseconds(call.now, -hours * hourMs);
  const condition = sql`t.action = 'authorize_application' and t.authorized_app is not null and t.created >= ${since}
    ${visible ? sql`and ${visible}` : sql``}`;
  const { rows } = await sql<TopRow>`select c.events, c.users, (select e.context from events e
      where e.action = 'authorize_application' and e.authorized_app = c.authorized_app limit 1) as context
    from (select t.authorized_app, count(*) as events, count(distinct t.user_pk) as users
      from events as t where ${condition} group by t.authorized_app) as c
    order by c.events desc, c.authorized_app limit ${maxApplications}`.execute(call.db.read);
  return rows.map(({ context, events, users }) => ({
    name: String(JSON.parse(context).authorized_application?.name ?? ''),
    events: Number(events),
    users: Number(users),
  }));
}
