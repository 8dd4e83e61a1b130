import { type RawBuilder, sql } from 'kysely';
import { Problem } from '../../lib/problem.ts';
import { requireActor } from '../../resource/call.ts';
import { actionOn } from '../../resource/define.ts';
import { objectSchema } from '../../resource/document/json-schema.ts';
import { coordinates, lastWeekOf } from '../event/figures.ts';

/** A user's sign-ins, failed sign-ins and application launches in the last week. */
export const metricsAction = actionOn<{ pk: number; username: string }>()({
  name: 'metrics',
  on: 'row',
  method: 'GET',
  page: { noButton: 'The page of a user lists sign-ins under Events.' },
  summary: 'Count the sign-ins of a user',
  access: 'visible',
  answer: {
    status: 200,
    schema: objectSchema({ logins: coordinates, logins_failed: coordinates, authorizations: coordinates }),
    schemaName: 'UserMetrics',
  },
  async run({ call, row: { pk, username } }) {
    const required = 'svc_events.view_event';
    if (!requireActor(call).holds(required)) throw Problem.lacks(required);
    const eventsOf = (action: string, whose: RawBuilder<unknown>) => ({
      conditions: [sql`t.action = ${action}`, whose],
      isRolledUp: false,
    });
    const byUser = sql`t.user_pk = ${pk}`;
    return lastWeekOf(call, {
      logins: eventsOf('login', byUser),
      // No user is signed in: the event contains the name that was tried.
      logins_failed: eventsOf('login_failed', sql`t.subject = ${username}`),
      authorizations: eventsOf('authorize_application', byUser),
    });
  },
});
