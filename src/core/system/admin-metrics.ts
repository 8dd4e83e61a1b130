import { sql } from 'kysely';
import { defineEndpoint, type Endpoint } from '../../resource/endpoint.ts';
import { arrayOf, integerSchema, objectSchema } from '../../resource/json-schema.ts';
import { saidToBe } from '../event/chart.ts';
import { countOverTime } from '../event/figures.ts';
import { visibleEvents } from '../event/filtered.ts';

const series = { logins: 'login', logins_failed: 'login_failed', authorizations: 'authorize_application' } as const;
const thirdOfDayMs = 8 * 3_600_000;
const thirdsOfAWeek = 21;

const coordinates = arrayOf(objectSchema({ x_cord: integerSchema, y_cord: integerSchema }));

/** Sign-ins, failed sign-ins and application launches in the last week, among the events that the caller may see. */
export const adminMetrics: Endpoint = defineEndpoint({
  id: 'admin_metrics_retrieve',
  method: 'GET',
  path: '/admin/metrics/',
  summary: 'Count logins and authorizations of the last week',
  access: 'authenticated',
  answer: {
    status: 200,
    schema: objectSchema({ logins: coordinates, logins_failed: coordinates, authorizations: coordinates }),
    schemaName: 'LoginMetrics',
  },
  async run({ call, engine: { registry } }) {
    const counted = await Promise.all(
      Object.entries(series).map(async ([name, action]) => {
        const input = { conditions: [sql`t.action = ${action}`], isCounted: true };
        const events = await visibleEvents({ call, registry }, input);
        return [name, await countOverTime(call, events, 'hour', thirdOfDayMs, thirdsOfAWeek)] as const;
      }),
    );
    const isExact = counted.every(([, chart]) => chart.isExact);
    return saidToBe({ isExact }, Object.fromEntries(counted.map(([name, { points }]) => [name, points])));
  },
});
