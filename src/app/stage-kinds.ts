import type { DeviceKind } from '../flow/devices/device-kind.ts';
import type { StageKind } from '../flow/executor/stage-kind.ts';
import type { AttemptScore } from '../flow/passwords/judge-password.ts';
import { changeScore } from '../kinds/policies/reputation/score.ts';
import { mediasrcDoor } from '../kinds/sources/mediasrc/mediasrc-door.ts';
import { smsEnrolment } from '../kinds/stages/authenticator-sms/sms-enrolment.ts';
import { smsFactor } from '../kinds/stages/authenticator-sms/sms-factor.ts';
import { authenticatorStatic } from '../kinds/stages/authenticator-static/authenticator-static.ts';
import { staticTokens } from '../kinds/stages/authenticator-static/static-device.ts';
import { authenticatorTotp } from '../kinds/stages/authenticator-totp/authenticator-totp.ts';
import { totp } from '../kinds/stages/authenticator-totp/totp-device.ts';
import { createTwofactorApi } from '../kinds/stages/authenticator-twofactor/twofactor-api.ts';
import {
  type TwofactorNeeds,
  twofactorEnrolment,
} from '../kinds/stages/authenticator-twofactor/twofactor-enrolment.ts';
import { twofactorFactor } from '../kinds/stages/authenticator-twofactor/twofactor-factor.ts';
import { twofactorStage } from '../kinds/stages/authenticator-twofactor/twofactor-stage.resource.ts';
import { authenticatorValidate } from '../kinds/stages/authenticator-validate/authenticator-validate.ts';
import { webauthnEnrolment } from '../kinds/stages/authenticator-webauthn/webauthn-enrolment.ts';
import { webauthnFactor } from '../kinds/stages/authenticator-webauthn/webauthn-factor.ts';
import { captcha } from '../kinds/stages/captcha/captcha.ts';
import { consenting } from '../kinds/stages/consent/consent.ts';
import { denying } from '../kinds/stages/deny/deny.ts';
import { dummy } from '../kinds/stages/dummy/dummy.ts';
import { emailing } from '../kinds/stages/email/email.ts';
import { identification } from '../kinds/stages/identification/identification.ts';
import { inviting } from '../kinds/stages/invitation/invitation.ts';
import { password } from '../kinds/stages/password/password.ts';
import { prompting } from '../kinds/stages/prompt/prompting.ts';
import { askingSource } from '../kinds/stages/source/source.ts';
import { userDelete } from '../kinds/stages/user-delete/user-delete.ts';
import { userLogin } from '../kinds/stages/user-login/user-login.ts';
import { userLogout } from '../kinds/stages/user-logout/user-logout.ts';
import { userWrite } from '../kinds/stages/user-write/user-write.ts';
import type { Query } from '../platform/db/database.ts';
import type { Jobs } from '../platform/jobs/job.ts';
import type { PolicyEngine } from '../policy/engine.ts';
import type { World } from './world.ts';

/** The service that asks people on their phones. */
export function twofactor({ fetch, key }: World): TwofactorNeeds {
  const api = createTwofactorApi(fetch);
  return { api, key, stage: twofactorStage(api) };
}

/** What people prove themselves with beside a password. */
export function allDeviceKinds(world: World): DeviceKind[] {
  return [totp, staticTokens(world.key), webauthnFactor(world), smsFactor(world), twofactorFactor(twofactor(world))];
}

/** What people go through in flows. */
export function allStageKinds(
  world: World & { jobs(): Jobs },
  policies: PolicyEngine,
  deviceKinds: readonly DeviceKind[],
): StageKind[] {
  const isSecure = world.config.publicUrl.startsWith('https:');
  const keepScore = (tx: Query, score: AttemptScore) => changeScore(tx, world.geo, score);
  const needs = { ...world, isSecure, keepScore };
  return [
    denying,
    dummy,
    identification(needs),
    password(needs),
    userLogin(needs),
    userLogout(needs),
    userWrite(needs),
    userDelete(needs),
    prompting({ ...needs, policies }),
    inviting,
    consenting,
    captcha(needs),
    emailing(needs),
    askingSource({ ...needs, policies, door: mediasrcDoor(world) }),
    webauthnEnrolment(needs),
    smsEnrolment(needs),
    twofactorEnrolment(twofactor(world)),
    authenticatorTotp,
    authenticatorStatic(needs),
    authenticatorValidate({ ...needs, deviceKinds }),
  ];
}
