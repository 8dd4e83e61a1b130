import { defineStage } from '../../../flow/stage.family.ts';
import { arrayOf } from '../../../resource/document/json-schema.ts';
import { boolean, integer } from '../../../resource/fields/scalar.ts';
import { secret } from '../../../resource/fields/secret.ts';
import { text } from '../../../resource/fields/text.ts';
import type { Action } from '../../../resource/resource.ts';
import { defaultTemplate, templates } from './templates.ts';

const templatesAction: Action = {
  name: 'templates',
  on: 'set',
  method: 'GET',
  page: { noButton: 'The form of a stage offers them as choices.' },
  summary: 'List the templates of mails',
  access: { permission: 'svc_stages_email.view_emailstage' },
  answer: { status: 200, schema: arrayOf({ $ref: '#/components/schemas/TypeCreate' }) },
  run: async () =>
    Object.entries(templates).map(([name, { description }]) => ({
      ...{ name, description, component: '', model_name: '' },
      requires_enterprise: false,
    })),
};

/** Sends a link that verifies an address. */
export const emailStage = defineStage({
  path: '/stages/email/',
  model: 'svc_stages_email.emailstage',
  schema: 'EmailStage',
  names: ['Email Stage', 'Email Stages'],
  component: 'xak-stage-email-form',
  description: 'Sends the user of the flow a link by email; opening it continues the flow.',
  table: 'stage_email',
  fields: {
    use_global_settings: boolean({
      default: true,
      filter: true,
      help: 'Send through the mail server of GATEHOUSE_SMTP_URL. The mail server below is used only when this is off.',
    }),
    host: text({
      default: 'localhost',
      max: 255,
      filter: true,
      help: 'The mail server to use in place of the global one.',
      group: 'Mail server',
    }),
    port: integer({
      default: 25,
      min: 1,
      max: 65_535,
      filter: true,
      help: 'The port of the mail server.',
      isObvious: true,
      group: 'Mail server',
    }),
    username: text({
      blank: true,
      default: '',
      filter: true,
      help: 'The name to sign in to the mail server with; empty signs in with none.',
      group: 'Mail server',
    }),
    password: secret({
      blank: true,
      trim: false,
      writeOnly: true,
      default: '',
      help: 'The password for the mail server.',
      isObvious: true,
      group: 'Mail server',
    }),
    use_tls: boolean({
      default: false,
      filter: true,
      help: 'Encrypt with STARTTLS; nothing is sent if the server does not offer it.',
    }),
    use_ssl: boolean({ default: false, filter: true, help: 'Encrypt from the first byte.' }),
    timeout: integer({ default: 10, min: 1, max: 60, filter: true, help: 'Seconds to wait for the mail server.' }),
    from_address: text({
      default: 'gatehouse@localhost',
      max: 254,
      format: 'email',
      filter: true,
      help: 'The sender that people see.',
      group: 'Mail server',
    }),
    token_expiry: integer({
      default: 30,
      min: 1,
      max: 43_200,
      filter: true,
      help: 'Validity of the link in minutes.',
    }),
    subject: text({ default: 'Gatehouse', max: 255, filter: true, help: 'The subject of the mail.', isObvious: true }),
    template: text({
      default: defaultTemplate,
      filter: true,
      check: (name) => (Object.hasOwn(templates, name) ? null : `There is no template ${name}.`),
      help: 'The template of the mail.',
      isObvious: true,
    }),
    activate_user_on_success: boolean({
      default: false,
      filter: true,
      help: 'Activate the user that this flow created once the link is opened.',
    }),
  },
  check: ({ values }) =>
    values.use_tls && values.use_ssl ? { use_ssl: ['Choose one kind of encryption, not both.'] } : null,
  actions: [templatesAction],
});
