import { checkMayGrantMembership } from '../../../core/access/delegation.ts';
import { defineStage } from '../../../flow/stage.family.ts';
import { ref } from '../../../resource/fields/ref.ts';
import { boolean } from '../../../resource/fields/scalar.ts';
import { choice, text } from '../../../resource/fields/text.ts';

/** Writes prompt data to the flow's user. */
export const userWriteStage = defineStage({
  path: '/stages/user_write/',
  model: 'svc_stages_user_write.userwritestage',
  schema: 'UserWriteStage',
  names: ['User Write Stage', 'User Write Stages'],
  component: 'xak-stage-user-write-form',
  description: 'Writes the data of the flow to the user, and creates one if needed.',
  table: 'stage_user_write',
  fields: {
    user_creation_mode: choice(['never_create', 'create_when_required', 'always_create'], {
      default: 'create_when_required',
      filter: true,
      help: 'Whether the stage makes new users: never, when there is none yet, or always.',
    }),
    create_users_as_inactive: boolean({
      default: false,
      filter: true,
      help: 'New users cannot sign in until an email stage or an administrator activates them.',
    }),
    create_users_group: ref('svc_core.group', 'uuid', {
      nullable: true,
      filter: true,
      help: 'The group that new users are in.',
      isObvious: true,
    }),
    user_type: choice(['internal', 'external', 'service_account'], {
      default: 'external',
      filter: true,
      help: 'The type that new users get.',
    }),
    user_path_template: text({
      blank: true,
      default: '',
      filter: true,
      help: 'The path of new users.',
      isObvious: true,
    }),
  },
  // A stage must not assign a group that its author could not assign directly.
  async check({ tx, call, values, current }) {
    const group = values.create_users_group;
    if (group !== null && group !== current?.create_users_group) await checkMayGrantMembership(tx, call, [group]);
    return null;
  },
});
