import { brandTitle } from '../../../core/brand/brand-title.ts';
import { enrol, findEnrollee } from '../../../flow/devices/enrol.ts';
import { pendingUserMembers, pendingUserSchemas } from '../../../flow/executor/pending-user.ts';
import { ask, defineStageKind, deny, rememberedText, type Step, stay } from '../../../flow/executor/stage-kind.ts';
import { stringSchema } from '../../../resource/document/json-schema.ts';
import { integer } from '../../../resource/fields/scalar.ts';
import type { RowOf } from '../../../resource/resource.ts';
import { authenticatorTotpStage } from './authenticator-totp-stage.resource.ts';
import { newTotpSecret, stepOfCode, type TotpKey, totpUrl } from './totp-code.ts';
import { totpDevices } from './totp-device.ts';

/** Shows the key for an authenticator app, and stores it once the app has produced a correct code. */
export const authenticatorTotp = defineStageKind({
  resource: authenticatorTotpStage,
  component: 'xak-stage-authenticator-totp',
  roles: () => ['needs user', 'sets up device'],
  challenge: { ...pendingUserSchemas, config_url: stringSchema },
  answer: { code: integer({ min: 0, max: 99_999_999 }) },
  async demo({ api }) {
    await api.ensure('/stages/authenticator/totp/', { name: 'Demo: app' }, { digits: '8' });
  },
  async show(step) {
    const enrolling = await findEnrollee(step);
    if ('refusal' in enrolling) return deny(enrolling.refusal);
    const { call } = step;
    const issuer = await brandTitle(call.request.host, call.db.read);
    const config_url = await totpUrl(keyOf(step), issuer, enrolling.user.username);
    return ask({ ...(await pendingUserMembers(step)), config_url });
  },
  async verifyRegistration(step, { code }) {
    const enrolling = await findEnrollee(step);
    if ('refusal' in enrolling) return deny(enrolling.refusal);
    const key = keyOf(step);
    // A number in JSON has lost its leading zeros.
    const lastStep = await stepOfCode(key, String(code).padStart(key.digits, '0'), step.call.now);
    if (lastStep === null) return stay({ code: ['Code does not match'] });
    // The confirming code must not be accepted again.
    const values = { name: 'Authenticator app', key: key.secret, digits: key.digits, last_step: lastStep };
    return enrol(step, totpDevices, enrolling.user, values);
  },
});

const keyOf = (step: Step<RowOf<typeof authenticatorTotpStage>>): TotpKey => ({
  secret: rememberedText(step, 'secret', newTotpSecret),
  digits: Number(step.settings.digits),
});
