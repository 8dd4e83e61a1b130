import { assignableModels } from '../../../core/access/models.ts';
import { eventActionLabels, eventActions } from '../../../core/event/actions.ts';
import { appNames } from '../../../core/event/app-names.ts';
import { definePolicy } from '../../../policy/policy.family.ts';
import { choice, text } from '../../../resource/fields/text.ts';

const optional = { nullable: true, default: null, filter: true } as const;

/** Matches events. Bound to a rule, it selects the events that trigger notifications. */
export const eventMatcherPolicy = definePolicy({
  path: '/policies/event_matcher/',
  model: 'svc_policies_event_matcher.eventmatcherpolicy',
  schema: 'EventMatcherPolicy',
  names: ['Event Matcher Policy', 'Event Matcher Policies'],
  component: 'xak-policy-event-matcher-form',
  description: 'Passes if an event matches everything that is set.',
  table: 'policy_event_matcher',
  fields: {
    action: choice(Object.keys(eventActions), {
      ...optional,
      labels: eventActionLabels,
      help: 'What happened; any action when empty.',
    }),
    client_ip: text({ ...optional, help: 'The exact client address; any if empty.' }),
    app: choice(appNames, { ...optional, help: 'Which part of the server wrote the event; any when empty.' }),
    model: choice(assignableModels, { ...optional, help: 'What kind of object it is about; any when empty.' }),
  },
});
