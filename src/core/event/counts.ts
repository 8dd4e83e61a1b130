import { type RawBuilder, sql } from 'kysely';
import { readList } from '../../platform/db/read-list.ts';
import type { Call } from '../../resource/call.ts';

/** A row of a count by `dialect.timeBucket`. */
export interface BucketRow {
  readonly bucket: string;
  readonly events: number | string;
}

export interface Intervals {
  readonly start: number;
  readonly intervalMs: number;
  readonly count: number;
}

/** Sums counts by hour or day up to longer intervals, oldest first. Buckets outside are left out. */
export function sumIntervals(rows: readonly BucketRow[], { start, intervalMs, count }: Intervals): number[] {
  const sums = new Array<number>(count).fill(0);
  for (const { bucket, events } of rows) {
    const at = Math.floor((Date.parse(`${bucket}Z`) - start) / intervalMs);
    if (at >= 0 && at < count) sums[at] = (sums[at] ?? 0) + Number(events);
  }
  return sums;
}

interface TopRow {
  readonly context: string;
  readonly events: number | string;
  readonly users: number | string;
}

/** The applications with most events of an action, as those events name them, with the number of their users. */
export async function topApplications(call: Call, action: string, where: RawBuilder<unknown>, limit: number) {
  const query = sql<TopRow>`select c.*, (select e.context from events e
      where e.action = ${action} and e.authorized_app = c.authorized_app limit 1) as context
    from (select t.authorized_app, count(*) as events, count(distinct t.user_pk) as users from events as t
      where t.action = ${action} and t.authorized_app is not null and ${where}
      group by t.authorized_app order by count(*) desc, t.authorized_app limit ${limit}) as c
    order by c.events desc, c.authorized_app`;
  const { rows } = await readList(call.db, (read) => query.execute(read));
  return rows.map(({ context, events, users }) => ({
    application: JSON.parse(context).authorized_application,
    events: Number(events),
    users: Number(users),
  }));
}
