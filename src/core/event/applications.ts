import { type RawBuilder, sql } from 'kysely';
import type { Query } from '../../platform/db/database.ts';
import { readList } from '../../platform/db/read-list.ts';
import type { Call } from '../../resource/call.ts';
import { latest } from '../../resource/counted.ts';
import { eventApplications, readUntil } from './counted.ts';
import { windowsOf } from './sample.ts';

/** So many events are read to count the users of all applications that are shown. */
const maxRead = 100_000;
/** Of one application at least. */
const minRead = 1_000;
const windowCount = 50;

interface Used {
  readonly authorized_app: string;
  readonly events: number;
  readonly users: number;
}

export interface UsedApplication {
  /** As an event names it. */
  readonly application: { readonly name?: unknown } | undefined;
  readonly events: number;
  readonly users: number;
}

/** The applications with most events of an action among those that a condition on `t` leaves, with the number of their users. */
export const topApplications = (call: Call, action: string, where: RawBuilder<unknown>, limit: number) =>
  readList(call.db, async (read) => {
    const { rows } = await sql<{ authorized_app: string; events: number | string; users: number | string }>`
      select t.authorized_app, count(*) as events, count(distinct t.user_pk) as users from events as t
      where t.action = ${action} and t.authorized_app is not null and ${where}
      group by t.authorized_app order by count(*) desc, t.authorized_app limit ${limit}`.execute(read);
    return withNames(
      read,
      action,
      rows.map((row) => ({ ...row, events: Number(row.events), users: Number(row.users) })),
    );
  });

/** The same of all events. They are counted ahead; the users are counted in a sample if there are too many events. */
export const topOfAllTime = (call: Call, action: string, limit: number) =>
  readList(call.db, async (read) => {
    const { visits, isExact } = await countVisits(read, action);
    const top = visits.slice(0, limit);
    const budget = Math.max(minRead, Math.floor(maxRead / Math.max(1, top.length)));
    const used: Used[] = [];
    for (const [authorized_app, events] of top) {
      const share = Math.min(1, budget / events);
      const users = await countUsers(read, { action, authorized_app, share });
      used.push({ authorized_app, events, users: Math.min(events, users) });
    }
    return {
      top: await withNames(read, action, used),
      isExact: isExact && used.every(({ events }) => events <= budget),
    };
  });

/** The number of visits by application, most first. Exact unless there are too many that are not counted yet. */
async function countVisits(read: Query, action: string): Promise<{ visits: [string, number][]; isExact: boolean }> {
  const until = await readUntil(read, eventApplications);
  const { rows } = await sql<{ authorized_app: string; events: number | string; is_new: number }>`
    select t.authorized_app, sum(t.count) as events, 0 as is_new from event_applications as t where t.action = ${action} group by 1
    union all select t.authorized_app, count(*) as events, 1 as is_new from (select t.authorized_app from events as t
      where t.action = ${action} and t.authorized_app is not null and t.created >= ${until} and t.created <= ${latest}
      limit ${maxRead + 1}) as t group by 1`.execute(read);
  const sums = new Map<string, number>();
  let added = 0;
  for (const { authorized_app, events, is_new } of rows) {
    sums.set(authorized_app, (sums.get(authorized_app) ?? 0) + Number(events));
    if (is_new === 1) added += Number(events);
  }
  const visits = [...sums]
    .filter(([, events]) => events > 0)
    .sort(([one, ofOne], [other, ofOther]) => ofOther - ofOne || (one < other ? -1 : 1));
  return { visits, isExact: added <= maxRead };
}

interface Visits {
  readonly action: string;
  readonly authorized_app: string;
  /** Of the users; 1 for all of them. */
  readonly share: number;
}

/** An index has application, action and user in this order, so the visits of some users are found among all. */
export async function countUsers(read: Query, { action, authorized_app, share }: Visits): Promise<number> {
  const isVisit = sql`t.authorized_app = ${authorized_app} and t.action = ${action}`;
  const count = async (windows: RawBuilder<unknown>, isWithin: RawBuilder<unknown>) => {
    const { rows } = await sql<{ users: number | string }>`${windows} events as t where ${isVisit} ${isWithin}`.execute(
      read,
    );
    return Number(rows[0]?.users ?? 0);
  };
  if (share === 1) return count(sql`select count(distinct t.user_pk) as users from`, sql``);
  const end = (direction: RawBuilder<unknown>) =>
    sql`(select t.user_pk from events as t where ${isVisit} and t.user_pk is not null order by t.user_pk ${direction} limit 1)`;
  const { rows } = await sql<{ first: number | null; last: number | null }>`select ${end(sql`asc`)} as first,
    ${end(sql`desc`)} as last`.execute(read);
  const { first, last } = rows[0] ?? {};
  if (first == null || last == null) return 0;
  const windows = windowsOf(first, last + 1, windowCount, share).map(
    ([from, to]) => sql`(cast(${Math.round(from)} as integer), cast(${Math.round(to)} as integer))`,
  );
  const found = await count(
    sql`with w(since, until) as (values ${sql.join(windows)}) select count(distinct t.user_pk) as users from w cross join`,
    sql`and t.user_pk >= w.since and t.user_pk < w.until`,
  );
  return Math.round(found / share);
}

async function withNames(read: Query, action: string, used: readonly Used[]): Promise<UsedApplication[]> {
  const applications = await readApplications(
    read,
    action,
    used.map(({ authorized_app }) => authorized_app),
  );
  return used.map(({ authorized_app, events, users }) => ({
    application: applications.get(authorized_app),
    events,
    users,
  }));
}

/** Applications by their keys, as an event of the action names each. */
export async function readApplications(
  read: Query,
  action: string,
  keys: readonly string[],
): Promise<ReadonlyMap<string, UsedApplication['application']>> {
  if (keys.length === 0) return new Map();
  const { rows } = await sql<{
    pk: string;
    context: string | null;
  }>`with a(pk) as (values ${sql.join(keys.map((key) => sql`(${key})`))})
    select a.pk, (select e.context from events as e where e.action = ${action} and e.authorized_app = a.pk limit 1) as context
    from a`.execute(read);
  return new Map(
    rows.map(({ pk, context }) => [pk, context === null ? undefined : JSON.parse(context).authorized_application]),
  );
}
