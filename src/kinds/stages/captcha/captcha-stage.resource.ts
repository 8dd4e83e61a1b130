import { defineStage } from '../../../flow/stage.family.ts';
import { boolean, real } from '../../../resource/fields/scalar.ts';
import { secret } from '../../../resource/fields/secret.ts';
import { text } from '../../../resource/fields/text.ts';

/** As the highest score: none is too high. */
export const noLimit = -1;

/** Asks a captcha service whether the visitor is human. */
export const captchaStage = defineStage({
  path: '/stages/captcha/',
  model: 'svc_stages_captcha.captchastage',
  schema: 'CaptchaStage',
  names: ['Captcha Stage', 'Captcha Stages'],
  component: 'xak-stage-captcha-form',
  description: 'Checks with a captcha service that the user is human.',
  table: 'stage_captcha',
  fields: {
    public_key: text({ filter: true, help: 'Identifies this site to the captcha service; it is public.' }),
    private_key: secret({ writeOnly: true, help: 'The secret key for the captcha service.' }),
    js_url: text({
      format: 'uri',
      default: 'https://www.recaptcha.net/recaptcha/api.js',
      help: 'The script of the captcha service, which pages load.',
    }),
    api_url: text({
      format: 'uri',
      default: 'https://www.recaptcha.net/recaptcha/api/siteverify',
      help: 'Where this server verifies the result at the captcha service.',
    }),
    interactive: boolean({ default: false, help: 'Whether people have to do something before they can go on.' }),
    score_min_threshold: real({ default: 0.5, help: 'Scores below are refused, where the service gives any.' }),
    score_max_threshold: real({
      default: 1,
      help: 'Scores above are refused, where the service gives any; -1 sets no limit.',
    }),
    error_on_invalid_score: boolean({
      default: true,
      help: 'If off, people with a refused score continue, and policies can decide by `context.captcha.response.score`.',
    }),
  },
});
