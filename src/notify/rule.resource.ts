import { defineResource } from '../resource/define.ts';
import { nested } from '../resource/fields/computed.ts';
import { ref, refs } from '../resource/fields/ref.ts';
import { choice, text } from '../resource/fields/text.ts';
import { relatedFilter } from '../resource/list/query.ts';
import { eventDestinations, eventPermissions } from './event-destinations.ts';

export const severities = ['notice', 'warning', 'alert'] as const;

/** What a rule is made of, however it is made. */
export const ruleFields = {
  name: text({
    unique: 'Notification Rule with this name already exists.',
    filter: true,
    help: 'The name of the rule; unique.',
    isObvious: true,
  }),
  transports: refs('svc_events.notificationtransport', 'uuid', {
    table: 'notification_rule_transports',
    own: 'rule',
    other: 'transport',
    help: 'How the notification is sent; without any it is only shown in the web interface.',
  }),
  severity: choice(severities, {
    default: 'notice',
    filter: true,
    help: 'The severity of the notifications of this rule.',
  }),
};

/** Notifications about events: recipients, severity and transports. Bound policies select the events. */
export const ruleResource = defineResource({
  path: '/events/rules/',
  param: 'pbm_uuid',
  key: 'uuid',
  model: 'svc_events.notificationrule',
  schema: 'NotificationRule',
  names: ['Notification Rule', 'Notification Rules'],
  table: 'notification_rules',
  target: 'pk',
  // Without a binding it sends nothing.
  bindingNeeds: eventPermissions,
  order: ['name'],
  page: { columns: ['name', 'severity', 'group', 'transports'] },
  search: ['name', 'group.name'],
  filters: { group__name: relatedFilter('group.name') },
  ...eventDestinations('group', 'transports'),
  fields: {
    ...ruleFields,
    group: ref('svc_core.group', 'uuid', {
      nullable: true,
      needs: 'view',
      help: 'The group to notify; none if empty.',
    }),
    group_obj: nested('svc_core.group', 'group'),
  },
});
