import { sql } from 'kysely';
import { readList } from '../../platform/db/read-list.ts';
import type { Call } from '../../resource/call.ts';
import { arrayOf, stringSchema } from '../../resource/document/json-schema.ts';
import { ReplyWith } from '../../resource/document/operations.ts';
import { atLeast } from '../../resource/list/count.ts';
import { type Counting, countEvents, type EventCounts, newestEvents, sumOf, type Unit } from './rollup.ts';

/** Counts events by hour or day, action and application. */
export const chartOf = (call: Call, counting: Counting, unit: Unit): Promise<EventCounts> =>
  readList(call.db, (read) => countEvents({ read, dialect: call.db.dialect }, counting, unit));

export interface Value {
  readonly value: string;
  readonly events: number;
}

interface ValueRow extends Value {
  readonly name: string;
}

/** Each of these is read from the table, and grouped by every column. */
const maxRead = 20_000;

/** The most frequent values of some columns, among the newest `maxRead` events. */
export const valuesOf = (
  call: Call,
  { span, conditions }: Counting,
  columns: readonly string[],
  most: number,
): Promise<ReadonlyMap<string, readonly Value[]>> =>
  readList(call.db, async (read) => {
    const found = newestEvents(sql.join(columns.map((name) => sql.ref(`t.${name}`))), span, conditions, maxRead);
    // By one statement, so that events are read once.
    const parts = columns.map(
      (column) => sql`select * from (select ${sql.lit(column)} as name, ${sql.ref(column)} as value, count(*) as events
        from found where ${sql.ref(column)} <> '' group by 2 order by 3 desc, 2 limit ${most}) as ${sql.ref(`of_${column}`)}`,
    );
    const { rows } = await sql<ValueRow>`with found as materialized (${found})
      ${sql.join(parts, sql` union all `)}`.execute(read);
    return Map.groupBy(
      rows.map((row) => ({ ...row, events: Number(row.events) })),
      ({ name }) => name,
    );
  });

/** Whether `valuesOf` looks at all events of these counts. */
export const isAllLookedAt = ({ rows, isExact }: EventCounts) => isExact && sumOf(rows) <= maxRead;

/** Sums counts by another member, most first. */
export function topOf(counts: EventCounts, member: 'action' | 'authorized_app', most: number): Value[] {
  const sums = new Map<string, number>();
  for (const row of counts.rows) sums.set(row[member], (sums.get(row[member]) ?? 0) + row.events);
  sums.delete('');
  return [...sums]
    .map(([value, events]) => ({ value, events }))
    .sort((one, other) => other.events - one.events || (one.value < other.value ? -1 : 1))
    .slice(0, most);
}

/** A response with figures, and whether they stop at `maxCount` events. */
export const withExactness = ({ isExact }: Pick<EventCounts, 'isExact'>, body: unknown) =>
  isExact ? body : new ReplyWith(200, body, atLeast);

export const atLeastSchema = {
  ...arrayOf(stringSchema),
  description: 'The members whose figures are of the newest events only, because there are too many.',
};

/** The same where members differ in it: `at_least` names those that stop. */
export function withExactnessOfEach(isExact: Readonly<Record<string, boolean>>, body: object) {
  const at_least = Object.keys(isExact).filter((name) => !isExact[name]);
  return withExactness({ isExact: at_least.length === 0 }, { ...body, at_least });
}
