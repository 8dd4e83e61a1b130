import { type RawBuilder, sql } from 'kysely';
import { hourMs } from '../../lib/duration.ts';
import { addMilliseconds } from '../../platform/clock.ts';
import type { Query } from '../../platform/db/database.ts';
import type { Dialect } from '../../platform/db/dialect.ts';
import { maxCount } from '../../resource/list/count.ts';

/**
 * `event_rollup` has the number of events by hour and by day, action and application (empty for none). A job adds hours
 * once they are over (`rollup.jobs.ts`); charts count later events, and those of filters that the roll-up does not
 * know, directly.
 */

/** From one moment to before another. */
export interface Span {
  readonly since: string;
  readonly before: string;
}

export interface RollupRow {
  /** The start of an hour or a day, as `Dialect.timeBucket` has it. */
  readonly bucket: string;
  readonly action: string;
  readonly authorized_app: string;
  readonly events: number;
}

export type Unit = 'hour' | 'day';

export interface Counting {
  readonly span: Span;
  /** On the event `t`. */
  readonly conditions: readonly RawBuilder<unknown>[];
  /** Whether they name `t.action` and `t.authorized_app` alone. */
  readonly isRolledUp: boolean;
}

export interface EventCounts {
  readonly rows: readonly RollupRow[];
  /** False if more than `maxCount` events had to be counted directly: the newest are. */
  readonly isExact: boolean;
}

export interface Reading {
  readonly read: Query;
  readonly dialect: Dialect;
}

/** Counts events by hour, or whole days by day. */
export async function countEvents(
  reading: Reading,
  { span, conditions, isRolledUp }: Counting,
  unit: Unit,
): Promise<EventCounts> {
  const hours = isRolledUp ? await rolledUpHours(reading.read, span) : null;
  if (!hours) return countDirectly(reading, span, conditions);
  const later = await countDirectly(reading, { since: hours.before, before: span.before }, conditions);
  const earlier = await countDirectly(reading, { since: span.since, before: hours.since }, conditions);
  const rows = await readRollup(reading.read, hours, conditions, unit);
  return { rows: [...earlier.rows, ...rows, ...later.rows], isExact: earlier.isExact && later.isExact };
}

/** The newest events of a time that meet the conditions, one more than are counted. */
export const newestEvents = (
  columns: RawBuilder<unknown>,
  span: Span,
  conditions: readonly RawBuilder<unknown>[],
  most = maxCount,
) =>
  sql`select ${columns} from events as t where ${sql.join([isWithin(span), ...conditions], sql` and `)}
    order by t.created desc limit ${sql.lit(most + 1)}`;

export const rollupColumns = (dialect: Dialect) => sql`${dialect.timeBucket(sql.ref('t.created'), 'hour')} as bucket,
  t.action, coalesce(t.authorized_app, '') as authorized_app`;

async function countDirectly(
  { read, dialect }: Reading,
  span: Span,
  conditions: readonly RawBuilder<unknown>[],
): Promise<EventCounts> {
  if (span.since >= span.before) return { rows: [], isExact: true };
  const { rows } = await sql<RollupRow>`select bucket, action, authorized_app, count(*) as events
    from (${newestEvents(rollupColumns(dialect), span, conditions)}) as found group by 1, 2, 3`.execute(read);
  const numbered = rows.map(withNumber);
  return { rows: numbered, isExact: sumOf(numbered) <= maxCount };
}

/** The whole hours of a time that are in the roll-up; null if there is none. */
async function rolledUpHours(read: Query, { since, before }: Span): Promise<Span | null> {
  const { rows } = await sql<{ until: string }>`select until from event_rollup_state`.execute(read);
  const first = hourOf(since) === since ? since : addMilliseconds(hourOf(since), hourMs);
  const end = [rows[0]?.until ?? '', hourOf(before)].sort()[0] ?? '';
  return end > first ? { since: first, before: end } : null;
}

async function readRollup(
  read: Query,
  hours: Span,
  conditions: readonly RawBuilder<unknown>[],
  unit: Unit,
): Promise<RollupRow[]> {
  const days = wholeDays(hours);
  const part = (name: Unit, { since, before }: Span) => {
    const wanted = [sql`t.unit = ${sql.lit(name)} and t.start >= ${bucketOf(since)} and t.start < ${bucketOf(before)}`];
    return sql`select t.start as bucket, t.action, t.authorized_app, t.events from event_rollup as t
      where ${sql.join([...wanted, ...conditions], sql` and `)}`;
  };
  const parts =
    unit === 'day' && days
      ? [
          part('hour', { since: hours.since, before: days.since }),
          part('day', days),
          part('hour', { since: days.before, before: hours.before }),
        ]
      : [part('hour', hours)];
  const { rows } = await sql<RollupRow>`${sql.join(parts, sql` union all `)}`.execute(read);
  return rows.map(withNumber);
}

function wholeDays({ since, before }: Span): Span | null {
  const first = dayOf(since) === since ? since : addMilliseconds(dayOf(since), 24 * hourMs);
  const end = dayOf(before);
  return end > first ? { since: first, before: end } : null;
}

const withNumber = (row: RollupRow): RollupRow => ({ ...row, events: Number(row.events) });

/** The start of an hour or a day, and how the roll-up names it. */
export const hourOf = (moment: string) => `${moment.slice(0, 13)}:00:00.000000Z`;
export const dayOf = (moment: string) => `${moment.slice(0, 10)}T00:00:00.000000Z`;
export const bucketOf = (start: string) => start.slice(0, 16);

export const isWithin = ({ since, before }: Span) => sql`t.created >= ${since} and t.created < ${before}`;

export const sumOf = (rows: readonly Pick<RollupRow, 'events'>[]): number =>
  rows.reduce((sum, { events }) => sum + events, 0);

/** From the first event on. */
export async function allTime(read: Query, now: string): Promise<Span> {
  const { rows } = await sql<{ since: string | null }>`select min(created) as since from events`.execute(read);
  return { since: rows[0]?.since ?? now, before: addMilliseconds(now, hourMs) };
}
