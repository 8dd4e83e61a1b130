import { type RawBuilder, sql } from 'kysely';
import { hourMs } from '../../lib/duration.ts';
import { Problem } from '../../lib/problem.ts';
import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import { readList } from '../../platform/db/read-list.ts';
import { type Call, requireActor } from '../../resource/call.ts';
import { arrayOf, integerSchema, objectSchema } from '../../resource/json-schema.ts';
import type { Action } from '../../resource/resource.ts';
import { type BucketRow, sumIntervals } from '../event/counts.ts';

/** Three points a day for a week. */
const spanMs = 8 * hourMs;
const points = 21;

const series = arrayOf({
  ...objectSchema({ x_cord: integerSchema, y_cord: integerSchema }),
  description: 'x_cord: milliseconds since 1970; y_cord: how many',
});

/** A user's sign-ins, failed sign-ins and application launches in the last week. */
export const metricsAction: Action = {
  name: 'metrics',
  on: 'row',
  method: 'GET',
  page: { noButton: 'The page of a user lists sign-ins under Events.' },
  summary: 'Count the sign-ins of a user',
  access: 'visible',
  answer: {
    status: 200,
    schema: objectSchema({ logins: series, logins_failed: series, authorizations: series }),
    schemaName: 'UserMetrics',
  },
  async run({ call, row }) {
    if (!requireActor(call).holds('svc_events.view_event')) throw new Problem('permission_denied');
    const byUser = sql`user_pk = ${row.pk}`;
    const tried = sql`${call.db.dialect.jsonText(sql.ref('context'), ['username'])} = ${row.username}`;
    const [logins, logins_failed, authorizations] = await Promise.all([
      countEvents(call, 'login', byUser),
      countEvents(call, 'login_failed', tried),
      countEvents(call, 'authorize_application', byUser),
    ]);
    return { logins, logins_failed, authorizations };
  },
};

async function countEvents(call: Call, action: string, condition: RawBuilder<unknown>) {
  const { db, now } = call;
  const end = Math.ceil(fromTimestamp(now).getTime() / hourMs) * hourMs;
  const start = end - points * spanMs;
  const bucket = db.dialect.timeBucket(sql.ref('created'), 'hour');
  const query = sql<BucketRow>`select ${bucket} as bucket, count(*) as events from events
    where action = ${action} and created >= ${toTimestamp(start)} and created < ${toTimestamp(end)}
    and ${condition} group by 1`;
  const { rows } = await readList(db, (read) => query.execute(read));
  return sumIntervals(rows, { start, intervalMs: spanMs, count: points }).map((count, index) => ({
    x_cord: start + index * spanMs,
    y_cord: count,
  }));
}
