import { sql } from 'kysely';
import { toTimestamp } from '../../platform/clock.ts';
import type { Query } from '../../platform/db/database.ts';
import { type Call, requireActor } from '../../resource/call.ts';
import { defineEndpoint, type Endpoint } from '../../resource/endpoint.ts';
import { arrayOf, integerSchema, objectSchema } from '../../resource/json-schema.ts';

export interface Coordinate {
  /** The start of the hour in milliseconds. */
  readonly x_cord: number;
  readonly y_cord: number;
}

const series = { logins: 'login', logins_failed: 'login_failed', authorizations: 'authorize_application' } as const;
const hourMs = 3_600_000;
const hours = 24;

const points = arrayOf(objectSchema({ x_cord: integerSchema, y_cord: integerSchema }));

/** How many people signed in, failed to, and went on to applications in each hour of the last day, as far as the caller may see the events. */
export const adminMetrics: Endpoint = defineEndpoint({
  id: 'admin_metrics_retrieve',
  method: 'GET',
  path: '/admin/metrics/',
  summary: 'Count logins and authorizations per hour',
  access: 'authenticated',
  answer: {
    status: 200,
    schema: objectSchema({ logins: points, logins_failed: points, authorizations: points }),
    schemaName: 'LoginMetrics',
  },
  async run({ call, tx }) {
    const counts = await countPerHour(call, tx);
    const firstHour = startOf(call);
    return Object.fromEntries(
      Object.entries(series).map(([name, action]) => {
        const perHour = Array.from({ length: hours }, (_, index): Coordinate => {
          const hour = firstHour + index * hourMs;
          return { x_cord: hour, y_cord: counts.get(`${action} ${hour}`) ?? 0 };
        });
        return [name, perHour];
      }),
    );
  },
});

const startOf = (call: Call): number => Math.floor(Date.parse(call.now) / hourMs) * hourMs - (hours - 1) * hourMs;

async function countPerHour(call: Call, query: Query): Promise<Map<string, number>> {
  const actor = requireActor(call);
  const permission = 'svc_events.view_event';
  const visible = actor.holds(permission) ? sql`` : sql`and e.pk in (${actor.objectsHolding(permission, 'uuid')})`;
  const bucket = call.db.dialect.timeBucket(sql.ref('e.created'), 'hour');
  const { rows } = await sql<{
    action: string;
    hour: string;
    count: number;
  }>`select e.action, ${bucket} as hour, count(*) as count
    from events e where e.action in (${sql.join(Object.values(series))}) and e.created >= ${toTimestamp(startOf(call))} ${visible}
    group by e.action, ${bucket}`.execute(query);
  return new Map(rows.map(({ action, hour, count }) => [`${action} ${Date.parse(`${hour}Z`)}`, Number(count)]));
}
