import { type RawBuilder, sql } from 'kysely';
import type { Query } from '../platform/db/database.ts';
import type { Counted, CountTable } from './counted-rows.ts';
import type { Resource } from './resource.ts';

/** After all rows. */
export const latest = '9999-12-31T23:59:59.999999Z';

/** The moment up to which rows are in the counts. */
export const countedUntil = ({ until }: CountTable): RawBuilder<string> =>
  sql`(select until from counted_until where pk = ${until})`;

export async function readUntil(read: Query, counts: CountTable): Promise<string> {
  const { rows } = await sql<{ until: string }>`select ${countedUntil(counts)} as until`.execute(read);
  return rows[0]?.until ?? '';
}

/** The start of an hour as a moment, and as counts by hour name it. */
export const hourOf = (moment: string) => `${moment.slice(0, 13)}:00:00.000000Z`;
export const bucketOf = (hour: string) => hour.slice(0, 16);

/** Whether a list that is filtered by these parameters can be counted without looking at all its rows. */
export function isCountedBy({ counted, filterTable }: Resource, query: URLSearchParams): boolean {
  if (!counted) return false;
  return [...query.keys()].every((name) => !Object.hasOwn(filterTable, name) || counted.filters.includes(name));
}

/** Counts rows; the condition may name the columns of `by` alone. One statement, so that both parts are of one moment. */
export function countSql(
  resource: Resource,
  counted: Counted,
  where: RawBuilder<unknown>,
): RawBuilder<{ count: number }> {
  const { table, by } = counted;
  const columns = sql.join(by.map((name) => sql.ref(`t.${name}`)));
  return sql`with recent as materialized (select ${columns} from ${resource.from()} where ${isRecent(resource, counted)})
    select (select coalesce(sum(t.count), 0) from ${sql.table(table)} as t ${where})
      + (select count(*) from recent as t ${where}) as count`;
}

/** The different values of a column of `by`, in order. */
export function valuesSql(resource: Resource, counted: Counted, column: string): RawBuilder<{ value: string }> {
  const name = sql.ref(`t.${column}`);
  return sql`with recent as materialized (select ${name} from ${resource.from()} where ${isRecent(resource, counted)})
    select ${name} as value from ${sql.table(counted.table)} as t group by ${name} having sum(t.count) > 0
    union select ${name} from recent as t order by 1`;
}

/**
 * Rows that are in no count yet. The upper bound is for PostgreSQL's planner: it takes a range between two unknown moments to be narrow, as
 * this one is, but all that comes after an unknown moment to be a third of the table.
 */
export function isUncounted(column: RawBuilder<unknown>, counts: CountTable): RawBuilder<unknown> {
  const end = sql`(select case when until is null then until else ${latest} end from counted_until where pk = ${counts.until})`;
  return sql`${column} >= ${countedUntil(counts)} and ${column} <= ${end}`;
}

const isRecent = (resource: Resource, counted: Counted) => isUncounted(resource.row().col(counted.time), counted);
