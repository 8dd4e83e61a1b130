import { sql } from 'kysely';
import { objectSchema } from '../../resource/document/json-schema.ts';
import { defineEndpoint, type Endpoint } from '../../resource/endpoint.ts';
import { coordinates, lastWeekOf } from '../event/figures.ts';
import { visibleEvents } from '../event/filtered.ts';

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
    const eventsOf = (action: string) =>
      visibleEvents({ call, registry }, { conditions: [sql`t.action = ${action}`], isRolledUp: true });
    return lastWeekOf(call, {
      logins: await eventsOf('login'),
      logins_failed: await eventsOf('login_failed'),
      authorizations: await eventsOf('authorize_application'),
    });
  },
});
