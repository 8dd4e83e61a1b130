import type { UserFacts } from '../../../core/mapping/user-facts.ts';
import { enrol, findEnrollee } from '../../../flow/devices/enrol.ts';
import { pendingUserMembers, pendingUserSchemas } from '../../../flow/executor/pending-user.ts';
import {
  ask,
  defineStageKind,
  deny,
  type Move,
  type StageKind,
  type Step,
  stay,
} from '../../../flow/executor/stage-kind.ts';
import { ServiceFault, type ServiceFaultEvents } from '../../../flow/services/call-service.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import { stringSchema } from '../../../resource/document/json-schema.ts';
import type { Resource } from '../../../resource/resource.ts';
import { dropActivation, findActivation, saveActivation } from './pending-enrolment.ts';
import type { Activation, TwofactorApi } from './twofactor-api.ts';
import { twofactorDevices } from './twofactor-device.ts';
import { authAccount, type TwofactorSettings } from './twofactor-stage.resource.ts';

export interface TwofactorNeeds {
  readonly api: TwofactorApi;
  readonly key: InstanceKey;
  readonly stage: Resource<TwofactorSettings>;
  readonly faultEvent: ServiceFaultEvents;
}

/** Shows how to activate a phone at the push service, and stores the device once the service reports it active. */
export function twofactorEnrolment(needs: TwofactorNeeds): StageKind {
  return defineStageKind({
    resource: needs.stage,
    component: 'xak-stage-authenticator-twofactor',
    roles: () => ['needs user', 'sets up device'],
    challenge: {
      ...pendingUserSchemas,
      activation_barcode: stringSchema,
      activation_code: stringSchema,
      stage_uuid: stringSchema,
    },
    answer: {},
    show: (step) => show(needs, step),
    verifyRegistration: (step) => judge(needs, step),
  });
}

async function show(needs: TwofactorNeeds, step: Step<TwofactorSettings>): Promise<Move> {
  const enrolling = await findEnrollee(step);
  if ('refusal' in enrolling) return deny(enrolling.refusal);
  const activation = await activationFor(needs, step, enrolling.user);
  if (activation instanceof ServiceFault) {
    const message = 'This cannot be set up at the moment. Please try again later.';
    return deny(message, needs.faultEvent(needs.stage, step.settings, activation));
  }
  const { activation_barcode, activation_code } = activation;
  return ask({
    ...(await pendingUserMembers(step)),
    activation_barcode,
    activation_code,
    stage_uuid: step.settings.pk,
  });
}

/** Returns the pending activation, or starts a new one. */
async function activationFor(
  needs: TwofactorNeeds,
  step: Step<TwofactorSettings>,
  user: UserFacts,
): Promise<Activation | ServiceFault> {
  const { call, settings } = step;
  const enrolment = enrolmentOf(step, user);
  const found = await findActivation(call.db.read, needs.key, enrolment, call.now);
  if (found) return found;
  const created = await needs.api.enrol(authAccount(settings), user.username, call.now);
  if (created instanceof ServiceFault) return created;
  const pending = { ...created, password_set: user.password_change_date };
  await call.db.write((tx) => saveActivation(tx, needs.key, enrolment, pending, call.now));
  return created;
}

async function judge(needs: TwofactorNeeds, step: Step<TwofactorSettings>): Promise<Move> {
  const enrolling = await findEnrollee(step);
  if ('refusal' in enrolling) return deny(enrolling.refusal);
  const { call, settings } = step;
  const { user } = enrolling;
  const enrolment = enrolmentOf(step, user);
  const activation = await findActivation(call.db.read, needs.key, enrolment, call.now);
  if (!activation) return stay({ non_field_errors: ['The activation has expired. Please start again.'] });
  const status = await needs.api.enrolmentStatus(authAccount(settings), activation, call.now);
  if (status instanceof ServiceFault) {
    const complaint = { non_field_errors: ['The service is not available at the moment. Please try again.'] };
    return stay(complaint, needs.faultEvent(needs.stage, settings, status));
  }
  if (status === 'invalid') {
    const again = { non_field_errors: ['The activation has expired. Please start again.'] };
    return stay(again, (tx) => dropActivation(tx, enrolment));
  }
  if (status === 'waiting') return stay({ non_field_errors: ['Your phone is not activated yet.'] });
  const values = { name: 'Twofactor Authenticator', service_user: activation.user_id, stage: settings.pk };
  return enrol(step, twofactorDevices, user, values, (tx) => dropActivation(tx, enrolment));
}

const enrolmentOf = ({ settings }: Step<TwofactorSettings>, { pk }: UserFacts) => ({ user: pk, stage: settings.pk });
