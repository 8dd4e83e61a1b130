import { type RawBuilder, sql } from 'kysely';
import type { Query } from '../../platform/db/database.ts';
import type { Dialect } from '../../platform/db/dialect.ts';
import { bucketOf, readUntil } from '../../resource/counted.ts';
import type { CountTable, Span } from '../../resource/counted-rows.ts';
import { wholeHours } from '../../resource/counted-span.ts';
import type { BucketRow } from './intervals.ts';

export const eventHours: CountTable = {
  ...{ table: 'event_hours', until: 'event_hours', by: ['hour', 'action'], time: 'created' },
  values: (dialect) => ({ hour: dialect.timeBucket(sql.ref('created'), 'hour') }),
};

export const eventApplications: CountTable = {
  ...{ table: 'event_applications', until: 'event_applications', by: ['action', 'authorized_app'], time: 'created' },
  where: sql`authorized_app is not null`,
};

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
  const whole = wholeHours(span, await readUntil(read, eventHours));
  if (!whole) return scanHours(reading, span, conditions);
  const isWanted = [sql`t.hour >= ${bucketOf(whole.since)}`, sql`t.hour < ${bucketOf(whole.before)}`, ...conditions];
  const { rows: counted } = await sql<HourRow>`select t.hour as bucket, t.action, sum(t.count) as events
    from event_hours as t where ${sql.join(isWanted, sql` and `)} group by 1, 2`.execute(read);
  const before =
    whole.since === span.since ? [] : await scanHours(reading, { ...span, before: whole.since }, conditions);
  return [...before, ...counted, ...(await scanHours(reading, { ...span, since: whole.before }, conditions))];
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
