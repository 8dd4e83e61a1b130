import { type RawBuilder, sql } from 'kysely';
import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import type { Dialect } from '../../platform/db/dialect.ts';
import type { Span } from '../../resource/counted-rows.ts';
import { isWithin } from './counted.ts';

/** Where to count events: all of a time, or those of short windows spread over it. */
export interface EventSource {
  /** A common table expression named `found`, with the columns by which events are counted. */
  readonly found: RawBuilder<unknown>;
  /** How many events stand for one that is found. */
  readonly factor: number;
}

/** So that each hour of a week and each day of a year has at least one. */
const usualWindows = 400;
/** Multiples of it, without their whole part, are spread evenly, and never in step with what happens every hour or day. */
const golden = (Math.sqrt(5) - 1) / 2;

type Conditions = readonly RawBuilder<unknown>[];

/** What charts show of an event. */
const shown = (dialect: Dialect) => sql`${dialect.timeBucket(sql.ref('t.created'), 'hour')} as bucket, t.action,
  coalesce(t.username, '') as username, coalesce(t.client_ip, '') as client_ip, coalesce(t.authorized_app, '') as authorized_app, t.user_pk`;

export const allEvents = (
  dialect: Dialect,
  span: Span,
  conditions: Conditions,
  columns = shown(dialect),
): EventSource => ({
  found: sql`found as materialized (select ${columns} from events as t
    where ${sql.join([isWithin(span), ...conditions], sql` and `)})`,
  factor: 1,
});

/** Conditions on the events of each window, and on what is found in all of them. */
export interface Windowed {
  readonly within: Conditions;
  readonly further: Conditions;
}

/** How events are read, if not for a chart. */
export interface Sampling {
  /** What is read of an event. */
  readonly columns?: RawBuilder<unknown>;
  readonly windows?: number;
}

export const noConditions: Windowed = { within: [], further: [] };

/**
 * An index on anything but time may lead to most events of all times, and PostgreSQL would look up for each window what somebody may see.
 * So SQLite does not get to know the conditions, and PostgreSQL tries them on what all windows have.
 */
export const afterTime = ({ scans }: Dialect, conditions: Conditions): Windowed =>
  scans.by === 'time'
    ? { within: [], further: conditions }
    : { within: conditions.map((condition) => sql`case when ${condition} then 1 else 0 end = 1`), further: [] };

/** A share of the time, so that the number of events to read does not depend on how many there are. */
export function sampledEvents(
  dialect: Dialect,
  span: Span,
  { within, further }: Windowed,
  share: number,
  { columns = shown(dialect), windows: count = usualWindows }: Sampling = {},
): EventSource {
  const type = sql.raw(dialect.columnType('time'));
  const moment = (milliseconds: number) => sql`cast(${toTimestamp(milliseconds)} as ${type})`;
  const [start, end] = [span.since, span.before].map((text) => fromTimestamp(text).getTime());
  const windows = windowsOf(start ?? 0, end ?? 0, count, share).map(
    ([from, to]) => sql`(${moment(from)}, ${moment(to)})`,
  );
  const isWanted = sql.join([sql`t.created >= w.since and t.created < w.until`, ...within], sql` and `);
  const isFound = further.length > 0 ? sql`where ${sql.join(further, sql` and `)}` : sql``;
  return {
    found: sql`w(since, until) as (values ${sql.join(windows)}), found as materialized (select ${columns}
      from (select t.* from ${dialect.forEach('w', 'events', 't', isWanted)}) as t ${isFound})`,
    factor: 1 / share,
  };
}

/** A window in each of equal parts of a range; together they cover a share of it. */
export function windowsOf(start: number, end: number, count: number, share: number): [from: number, to: number][] {
  const part = (end - start) / count;
  return Array.from({ length: count }, (_, at) => {
    const from = start + part * (at + ((at * golden) % 1) * (1 - share));
    return [from, from + part * share];
  });
}
