import { defineStage } from '../../../flow/stage.family.ts';
import { boolean, real } from '../../../resource/fields/scalar.ts';
import { secret } from '../../../resource/fields/secret.ts';
import { text } from '../../../resource/fields/text.ts';

/** Asks a captcha service whether the visitor is human. */
export const captchaStage = defineStage({
  path: '/stages/captcha/',
  model: 'svc_stages_captcha.captchastage',
  schema: 'CaptchaStage',
  names: ['Captcha Stage', 'Captcha Stages'],
  component: 'xak-stage-captcha-form',
  description: 'Let a captcha service decide whether a person or a program is there.',
  table: 'stage_captcha',
  fields: {
    public_key: text({ filter: true, help: 'Names this site to the captcha service; everybody sees it.' }),
    private_key: secret({ writeOnly: true, help: 'Proves to the captcha service that this server is asking.' }),
    js_url: text({
      format: 'uri',
      default: 'https://www.recaptcha.net/recaptcha/api.js',
      help: 'The script of the captcha service, which pages load.',
    }),
    api_url: text({
      format: 'uri',
      default: 'https://www.recaptcha.net/recaptcha/api/siteverify',
      help: 'Where this server asks the captcha service what it found.',
    }),
    interactive: boolean({ default: false, help: 'Whether people have to do something before they can go on.' }),
    score_min_threshold: real({ default: 0.5, help: 'Scores below are refused, where the service gives any.' }),
    score_max_threshold: real({ default: 1, help: 'Scores above are refused, where the service gives any.' }),
    error_on_invalid_score: boolean({
      default: true,
      help: 'Without this a refused score goes on, and policies can decide by `context.captcha.response.score`.',
    }),
  },
  check: ({ values }) =>
    values.score_min_threshold > values.score_max_threshold
      ? { score_min_threshold: ['The lowest score is above the highest.'] }
      : null,
});
