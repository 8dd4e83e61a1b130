import { ref } from '../../resource/fields/ref.ts';
import { text } from '../../resource/fields/text.ts';

/** The members common to all enrolment stages. */
export const setupFields = {
  configure_flow: ref('svc_flows.flow', 'uuid', {
    nullable: true,
    filter: true,
    help: 'The flow in which signed-in users set this up for themselves; without one they cannot.',
  }),
  friendly_name: text({ nullable: true, filter: true, help: 'The name shown when people choose what to set up.' }),
};
