import { defineStage } from '../../../flow/stage.family.ts';
import { ref, refs } from '../../../resource/fields/ref.ts';
import { boolean } from '../../../resource/fields/scalar.ts';
import { list } from '../../../resource/fields/structured.ts';
import { choice } from '../../../resource/fields/text.ts';

export const passwordModel = 'svc_stages_password.passwordstage';
export const userFields = ['email', 'username', 'upn'];

const flow = (help: string) => ref('svc_flows.flow', 'uuid', { nullable: true, filter: true, help });

export const identificationStage = defineStage({
  path: '/stages/identification/',
  model: 'svc_stages_identification.identificationstage',
  schema: 'IdentificationStage',
  names: ['Identification Stage', 'Identification Stages'],
  component: 'xak-stage-identification-form',
  description: 'Lets people identify themselves with a name, an email address or a source.',
  table: 'stage_identification',
  fields: {
    user_fields: list(choice(userFields), {
      default: () => [],
      help: 'What people may identify themselves with; if nothing is selected, only sources are shown.',
    }),
    password_stage: ref(passwordModel, 'uuid', {
      nullable: true,
      filter: true,
      help: 'Asks for the password on the same screen, and checks it as this stage says.',
    }),
    case_insensitive_matching: boolean({
      default: true,
      filter: true,
      help: 'Find users whatever case their name is typed in.',
    }),
    show_matched_user: boolean({
      default: false,
      filter: true,
      help: 'Shows the name and picture of the user. This reveals who has an account.',
    }),
    enrollment_flow: flow('Linked for people who have no account yet.'),
    recovery_flow: flow('Linked for people who cannot sign in.'),
    passwordless_flow: flow('Linked for people who sign in without a password.'),
    sources: refs('svc_core.source', 'uuid', {
      table: 'stage_identification_sources',
      own: 'stage',
      other: 'source',
      help: 'Sources that are offered for signing in.',
      isObvious: true,
    }),
    show_source_labels: boolean({
      default: false,
      filter: true,
      help: 'Show the names of sources beside their icons.',
    }),
    pretend_user_exists: boolean({
      default: true,
      help: 'Unknown names continue like known ones, so that accounts cannot be enumerated.',
    }),
  },
});
