import { type RawBuilder, sql } from 'kysely';
import type { Query } from '../../platform/db/database.ts';
import { readList } from '../../platform/db/read-list.ts';
import type { Call } from '../../resource/call.ts';
import { maxCount } from '../../resource/list/count.ts';
import { allTime, countEvents, newestEvents, type Span } from './rollup.ts';

export interface UsedApplication {
  /** As an event names it. */
  readonly application: { readonly pk?: unknown; readonly name?: unknown } | undefined;
  readonly events: number;
  readonly users: number;
}

export interface Top {
  readonly action: string;
  /** Which events `t` are meant; null for all. */
  readonly where: RawBuilder<unknown> | null;
  /** How many applications. */
  readonly limit: number;
  /** By default all time. */
  readonly span?: Span;
}

/**
 * The applications with most events of an action, with the number of their users. Users are counted among the newest
 * `maxCount` of these events.
 */
export const topApplications = (call: Call, { action, where, limit, span: given }: Top) =>
  readList(call.db, async (read) => {
    const span = given ?? (await allTime(read, call.now));
    const conditions = [sql`t.action = ${action}`, sql`t.authorized_app <> ''`, ...(where ? [where] : [])];
    const reading = { read, dialect: call.db.dialect };
    const counts = await countEvents(reading, { span, conditions, isRolledUp: where === null }, 'day');
    const sums = new Map<string, number>();
    for (const { authorized_app, events } of counts.rows)
      sums.set(authorized_app, (sums.get(authorized_app) ?? 0) + events);
    const top = [...sums]
      .sort(([one, ofOne], [other, ofOther]) => ofOther - ofOne || (one < other ? -1 : 1))
      .slice(0, limit);
    const keys = top.map(([authorized_app]) => authorized_app);
    const users = await countUsers(read, span, conditions, keys);
    const applications = await readApplications(read, { action, where }, keys);
    const isExact = counts.isExact && top.reduce((sum, [, events]) => sum + events, 0) <= maxCount;
    const used = top.map(
      ([key, events]): UsedApplication => ({ application: applications.get(key), events, users: users.get(key) ?? 0 }),
    );
    return { top: used, isExact };
  });

async function countUsers(
  read: Query,
  span: Span,
  conditions: readonly RawBuilder<unknown>[],
  keys: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (keys.length === 0) return new Map();
  const isOfThese = sql`t.authorized_app in (${sql.join(keys)})`;
  const visits = newestEvents(sql`t.authorized_app, t.user_pk`, span, [...conditions, isOfThese]);
  const { rows } = await sql<{ authorized_app: string; users: number | string }>`select authorized_app,
    count(distinct user_pk) as users from (${visits}) as visits group by authorized_app`.execute(read);
  return new Map(rows.map(({ authorized_app, users }) => [authorized_app, Number(users)]));
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
  // Rights on single events show few of them, so these lead to the applications, not the other way round.
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
