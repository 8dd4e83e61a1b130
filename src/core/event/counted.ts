import { type RawBuilder, sql } from 'kysely';
import { addMilliseconds } from '../../platform/clock.ts';
import type { Query } from '../../platform/db/database.ts';
import type { Dialect } from '../../platform/db/dialect.ts';
import { bucketOf, hourOf, readUntil } from '../../resource/counted.ts';
import type { CountTable } from '../../resource/counted-rows.ts';
import type { BucketRow } from './counts.ts';

const hourMs = 3_600_000;

export const eventHours: CountTable = {
  ...{ table: 'event_hours', until: 'event_hours', by: ['hour', 'action'], time: 'created' },
  values: (dialect) => ({ hour: dialect.timeBucket(sql.ref('created'), 'hour') }),
};

export const eventApplications: CountTable = {
  ...{ table: 'event_applications', until: 'event_applications', by: ['action', 'authorized_app'], time: 'created' },
  where: sql`authorized_app is not null`,
};

/** From one moment to before another. */
export interface Span {
  readonly since: string;
  readonly before: string;
}

export interface HourRow extends BucketRow {
  readonly action: string;
}

export interface Reading {
  readonly read: Query;
  readonly dialect: Dialect;
}

/** Counts events by hour and action: whole hours from the counts as far as these go. The conditions may name `t.action` alone. */
export async function readHours(
  reading: Reading,
  span: Span,
  conditions: readonly RawBuilder<unknown>[],
): Promise<HourRow[]> {
  const { read } = reading;
  const until = await readUntil(read, eventHours);
  const first = hourOf(span.since) === span.since ? span.since : addMilliseconds(hourOf(span.since), hourMs);
  const end = [hourOf(until), hourOf(span.before)].sort()[0] ?? '';
  if (end <= first) return scanHours(reading, span, conditions);
  const isWanted = [sql`t.hour >= ${bucketOf(first)}`, sql`t.hour < ${bucketOf(end)}`, ...conditions];
  const { rows: counted } = await sql<HourRow>`select t.hour as bucket, t.action, sum(t.count) as events
    from event_hours as t where ${sql.join(isWanted, sql` and `)} group by 1, 2`.execute(read);
  const before = first === span.since ? [] : await scanHours(reading, { ...span, before: first }, conditions);
  return [...before, ...counted, ...(await scanHours(reading, { ...span, since: end }, conditions))];
}

async function scanHours(
  { read, dialect }: Reading,
  span: Span,
  conditions: readonly RawBuilder<unknown>[],
): Promise<HourRow[]> {
  const { rows } = await sql<HourRow>`select ${dialect.timeBucket(sql.ref('t.created'), 'hour')} as bucket, t.action,
    count(*) as events from events as t where ${sql.join([isWithin(span), ...conditions], sql` and `)} group by 1, 2`.execute(
    read,
  );
  return rows;
}

export const isWithin = ({ since, before }: Span) => sql`t.created >= ${since} and t.created < ${before}`;

export const sumOf = (rows: readonly Pick<BucketRow, 'events'>[]): number =>
  rows.reduce((sum, { events }) => sum + Number(events), 0);
