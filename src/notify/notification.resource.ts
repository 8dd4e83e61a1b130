import { sql } from 'kysely';
import { requireActor } from '../resource/call.ts';
import { defineResource } from '../resource/define.ts';
import { embedded } from '../resource/fields/computed.ts';
import { ref } from '../resource/fields/ref.ts';
import { boolean, time } from '../resource/fields/scalar.ts';
import { choice, text } from '../resource/fields/text.ts';
import type { Action } from '../resource/resource.ts';
import { severities } from './rule.resource.ts';

/** A notification of an event. Only its recipient may mark it as seen or delete it, not even a superuser. */
export const notificationResource = defineResource({
  path: '/events/notifications/',
  param: 'uuid',
  key: 'uuid',
  model: 'svc_events.notification',
  schema: 'Notification',
  names: ['Notification', 'Notifications'],
  table: 'notifications',
  order: ['-created'],
  page: {
    columns: ['body', 'severity', 'seen', 'created'],
    notInSearch: 'It belongs to a person, who reads it in their account.',
  },
  search: ['body'],
  verbs: ['list', 'retrieve', 'update', 'partial_update', 'destroy', 'used_by'],
  visibility: { by: 'owner', column: 'user', write: 'only owner' },
  nameOf: (row) => String(row.body).slice(0, 75),
  fields: {
    severity: choice(severities, { readOnly: true, filter: true }),
    body: text({ readOnly: true, filter: true }),
    created: time({ readOnly: true, filter: true }),
    event: embedded('svc_events.event', 'uuid', { filter: true, nullable: true }),
    seen: boolean({ default: false, filter: true, help: 'Whether the notification was read.' }),
    user: ref('svc_core.user', 'int', { readOnly: true, writeOnly: true, filter: true }),
  },
  actions: [markAllSeen()],
});

function markAllSeen(): Action {
  return {
    name: 'mark_all_seen',
    on: 'set',
    method: 'POST',
    page: { noButton: 'The account page offers it.' },
    summary: 'Mark all notifications of the caller as seen',
    access: 'authenticated',
    answer: { status: 204 },
    async run({ tx, call }) {
      const { pk, username } = requireActor(call).user;
      await sql`update notifications set seen = true where "user" = ${pk} and not seen`.execute(tx);
      const model = { app: 'svc_events', model_name: 'notification', pk: null, name: `Notifications of ${username}` };
      const diff = { seen: { previous_value: false, new_value: true } };
      await call.world.record(tx, call, { action: 'model_updated', app: 'svc_events', context: { model, diff } });
    },
  };
}
