import { directoryPasswords } from '../../../flow/passwords/password-backend.ts';
import { appPasswords, ownPasswords } from '../../../flow/passwords/verify-password.ts';
import { defineStage } from '../../../flow/stage.family.ts';
import { ref } from '../../../resource/fields/ref.ts';
import { boolean, integer } from '../../../resource/fields/scalar.ts';
import { list } from '../../../resource/fields/structured.ts';
import { choice } from '../../../resource/fields/text.ts';

export const passwordStage = defineStage({
  path: '/stages/password/',
  model: 'svc_stages_password.passwordstage',
  schema: 'PasswordStage',
  names: ['Password Stage', 'Password Stages'],
  component: 'xak-stage-password-form',
  description: 'Asks for the password of the user and checks it.',
  table: 'stage_password',
  fields: {
    backends: list(choice([ownPasswords, appPasswords, directoryPasswords]), {
      notEmpty: true,
      labels: {
        [ownPasswords]: 'Passwords of users',
        [appPasswords]: 'App passwords',
        [directoryPasswords]: 'Passwords of LDAP directories',
      },
      help: 'The backends that verify passwords.',
      isObvious: true,
    }),
    configure_flow: ref('svc_flows.flow', 'uuid', {
      nullable: true,
      filter: true,
      help: 'The flow by which people change their password.',
    }),
    failed_attempts_before_cancel: integer({
      default: 5,
      filter: true,
      help: 'The flow ends after this number of wrong passwords and has to be started again.',
    }),
    allow_show_password: boolean({
      default: false,
      filter: true,
      help: 'Whether the entered password can be shown.',
      isObvious: true,
    }),
  },
});
