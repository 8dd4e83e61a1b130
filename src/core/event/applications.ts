import { type RawBuilder, sql } from 'kysely';
import { hourMs } from '../../lib/duration.ts';
import { addMilliseconds } from '../../platform/clock.ts';
import type { Query } from '../../platform/db/database.ts';
import { readList } from '../../platform/db/read-list.ts';
import type { Call } from '../../resource/call.ts';
import { isUncounted } from '../../resource/counted.ts';
import type { Span } from '../../resource/counted-rows.ts';
import { hoursAhead, maxRead, sourceOf } from './chart.ts';
import { eventApplications } from './counted.ts';
import { windowsOf } from './sample.ts';

/** Up to so many visits of a time are read: there are fewer applications than hours and people, so half as many as for a chart will do. */
const maxVisits = 10_000;
/** So many events of one application are read at least to count its users. */
const minRead = 1_000;
/** Of those that are not counted yet. */
const maxNew = 100_000;
/** Of keys of users. */
const windowCount = 50;
/** Of a time. A quarter of a chart's, which shows each hour; more take longer to find than the visits in them to read. */
const timeWindows = 100;

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

export interface Top {
  readonly action: string;
  /** Which events `t` are meant; null for all. */
  readonly where: RawBuilder<unknown> | null;
  /** How many applications. */
  readonly limit: number;
}

/** The applications with most events in a time, with the number of their users. If there are too many events, they are counted in a sample. */
export const topOfTime = (call: Call, { action, where, limit }: Top, span: Span, total?: number) =>
  readList(call.db, async (read) => {
    const ofAction = {
      ...{ span, conditions: [sql`t.action = ${action}`], isCounted: where === null },
      sampling: { columns: visit, ...(where === null && { windows: timeWindows }) },
      // Where only some are meant, events of all kinds are looked at.
      ...(where === null && { most: maxVisits }),
      ...(total !== undefined && { total }),
    };
    const conditions = [...ofAction.conditions, sql`t.authorized_app is not null`, ...(where ? [where] : [])];
    const hours = await hoursAhead(call, read, ofAction);
    const { found, factor } = await sourceOf(call, read, { ...ofAction, conditions }, hours);
    const { rows } = await sql<SampledApplication>`with ${found}, visitors as (
        select authorized_app, user_pk, count(*) as visits from found group by authorized_app, user_pk)
      select authorized_app, sum(visits) as events, count(user_pk) as users,
        count(case when visits = 1 then user_pk end) as once, count(case when visits = 2 then user_pk end) as twice
      from visitors group by authorized_app order by sum(visits) desc, authorized_app limit ${limit}`.execute(read);
    const used = rows.map((row) => {
      const events = Math.round(Number(row.events) * factor);
      const users = factor === 1 ? Number(row.users) : estimateUsers(row);
      return { authorized_app: row.authorized_app, events, users: Math.min(events, users) };
    });
    return { top: await withNames(read, { action, where }, used), isExact: factor === 1 };
  });

const visit = sql`t.authorized_app, t.user_pk`;

interface SampledApplication {
  readonly authorized_app: string;
  readonly events: number | string;
  readonly users: number | string;
  /** Users who are in the sample once, and twice. */
  readonly once: number | string;
  readonly twice: number | string;
}

/** Users that a sample of their visits misses are estimated from those in it once or twice (Chao, 1984). */
export function estimateUsers({ users, once, twice }: Omit<SampledApplication, 'authorized_app' | 'events'>): number {
  const [all, singles, pairs] = [Number(users), Number(once), Number(twice)];
  return Math.round(all + (singles * (singles - 1)) / (2 * (pairs + 1)));
}

/** The same of all events; `total` counts them. */
export const topOfAllTime = (call: Call, top: Top, total: () => Promise<number>) =>
  top.where ? topOfSome(call, top, total) : topOfAll(call, top);

async function topOfSome(call: Call, top: Top, total: () => Promise<number>) {
  const { rows } = await sql<{ since: string | null }>`select min(created) as since from events`.execute(call.db.read);
  const span = { since: rows[0]?.since ?? call.now, before: addMilliseconds(call.now, hourMs) };
  return topOfTime(call, top, span, await total());
}

/** They are counted ahead; the users are counted in a sample if there are too many events. */
const topOfAll = (call: Call, { action, limit }: Top) =>
  readList(call.db, async (read) => {
    const { visits, isExact } = await countVisits(read, action);
    const top = visits.slice(0, limit);
    const budget = Math.max(minRead, Math.floor(maxRead / Math.max(1, top.length)));
    const users = await countUsers(
      read,
      action,
      // As for a chart, half as many are read if there are too many.
      top.map(([authorized_app, events]) => ({ authorized_app, share: events <= budget ? 1 : budget / 2 / events })),
    );
    const used = top.map(([authorized_app, events]) => ({
      authorized_app,
      events,
      users: Math.min(events, users.get(authorized_app) ?? 0),
    }));
    return {
      top: await withNames(read, { action, where: null }, used),
      isExact: isExact && used.every(({ events }) => events <= budget),
    };
  });

/** The number of visits by application, most first. Exact unless there are too many that are not counted yet. */
async function countVisits(read: Query, action: string): Promise<{ visits: [string, number][]; isExact: boolean }> {
  // One statement, so that both parts are of one moment.
  const { rows } = await sql<{ authorized_app: string; events: number | string; is_new: number }>`
    select t.authorized_app, sum(t.count) as events, 0 as is_new from event_applications as t where t.action = ${action} group by 1
    union all select t.authorized_app, count(*) as events, 1 as is_new from (select t.authorized_app from events as t
      where t.action = ${action} and t.authorized_app is not null and ${isUncounted(sql.ref('t.created'), eventApplications)}
      limit ${maxNew + 1}) as t group by 1`.execute(read);
  const sums = new Map<string, number>();
  let added = 0;
  for (const { authorized_app, events, is_new } of rows) {
    sums.set(authorized_app, (sums.get(authorized_app) ?? 0) + Number(events));
    if (is_new === 1) added += Number(events);
  }
  const visits = [...sums]
    .filter(([, events]) => events > 0)
    .sort(([one, ofOne], [other, ofOther]) => ofOther - ofOne || (one < other ? -1 : 1));
  return { visits, isExact: added <= maxNew };
}

interface Visits {
  readonly authorized_app: string;
  /** Of the users; 1 for all of them. */
  readonly share: number;
}

/**
 * The number of users by application. An index has application, action and user in this order, so the visits of some users are found among all:
 * of those whose keys lie in windows that are spread over all keys.
 */
export async function countUsers(
  read: Query,
  action: string,
  applications: readonly Visits[],
): Promise<ReadonlyMap<string, number>> {
  if (applications.length === 0) return new Map();
  const places = windowsOf(0, windowCount, windowCount, 0).map(
    ([from], at) => sql`(${sql.lit(at)}, ${sql.lit(from - at)})`,
  );
  const shares = applications.map(
    ({ authorized_app, share }) => sql`(${authorized_app}, cast(${share} as double precision))`,
  );
  const end = (direction: RawBuilder<unknown>) => sql`(select t.user_pk from events as t
    where t.authorized_app = a.app and t.action = ${action} and t.user_pk is not null order by t.user_pk ${direction} limit 1)`;
  const bound = (place: RawBuilder<unknown>) =>
    sql`cast(round(a.first + (a.last + 1 - a.first) * (${place}) / ${sql.lit(windowCount)}) as integer)`;
  const start = sql`p.place + cast(p.lean as double precision) * (1 - a.share)`;
  const isWanted = sql`t.authorized_app = w.app and t.action = ${action} and t.user_pk >= w.first and t.user_pk < w.last`;
  const { rows } = await sql<{ app: string; share: number; users: number | string }>`
    with p(place, lean) as (values ${sql.join(places)}), shares(app, share) as (values ${sql.join(shares)}),
      a as materialized (select a.app, a.share, ${end(sql`asc`)} as first, ${end(sql`desc`)} as last from shares as a),
      w as materialized (select a.app, a.share, ${bound(start)} as first, ${bound(sql`${start} + a.share`)} as last from a cross join p)
    select w.app, w.share, sum((select count(distinct t.user_pk) from events as t where ${isWanted})) as users
    from w group by w.app, w.share`.execute(read);
  return new Map(rows.map(({ app, share, users }) => [app, Math.round(Number(users) / share)]));
}

async function withNames(read: Query, named: Naming, used: readonly Used[]): Promise<UsedApplication[]> {
  const applications = await readApplications(
    read,
    named,
    used.map(({ authorized_app }) => authorized_app),
  );
  return used.map(({ authorized_app, events, users }) => ({
    application: applications.get(authorized_app),
    events,
    users,
  }));
}

/** The events that may name an application. */
type Naming = Pick<Top, 'action' | 'where'>;

/** Applications by their keys, as one of these events names each. */
export async function readApplications(
  read: Query,
  { action, where }: Naming,
  keys: readonly string[],
): Promise<ReadonlyMap<string, UsedApplication['application']>> {
  if (keys.length === 0) return new Map();
  // What somebody may see by single rights is few: these lead to the applications, not the other way round.
  const named = where
    ? sql<NamedApplication>`select t.authorized_app as pk, max(cast(t.context as text)) as context from events as t
        where ${where} and case when t.action = ${action} then t.authorized_app end in (${sql.join(keys)}) group by t.authorized_app`
    : sql<NamedApplication>`with a(pk) as (values ${sql.join(keys.map((key) => sql`(${key})`))})
        select a.pk, (select t.context from events as t where t.action = ${action} and t.authorized_app = a.pk limit 1) as context
        from a`;
  const { rows } = await named.execute(read);
  return new Map(
    rows.map(({ pk, context }) => [pk, context === null ? undefined : JSON.parse(context).authorized_application]),
  );
}

interface NamedApplication {
  readonly pk: string;
  readonly context: string | null;
}
