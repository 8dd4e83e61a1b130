import type { Demo } from '../../../core/kind/demo.ts';
import type { DeviceKind } from '../../../flow/devices/device-kind.ts';
import { pendingUserMembers, pendingUserSchemas } from '../../../flow/executor/pending-user.ts';
import {
  ask,
  defineStageKind,
  type Move,
  next,
  type StageKind,
  type Step,
  stay,
} from '../../../flow/executor/stage-kind.ts';
import type { Json } from '../../../lib/json.ts';
import {
  arrayOf,
  type JsonSchema,
  objectSchema,
  orNull,
  stringSchema,
  timeSchema,
} from '../../../resource/document/json-schema.ts';
import type { Fields, ValuesOf } from '../../../resource/fields/field.ts';
import { json, record } from '../../../resource/fields/structured.ts';
import { text } from '../../../resource/fields/text.ts';
import { authenticatorValidateStage, type ValidateSettings } from './authenticator-validate-stage.resource.ts';
import { offeredChallenges } from './factors.ts';
import { setUp } from './set-up.ts';
import { type Validation, type ValidationNeeds, validationOf } from './validation.ts';
import { type ProofNeeds, proofMember, recordDevice, verifyFactor } from './verify-factor.ts';

type Dependencies = ValidationNeeds & ProofNeeds;

const anyObject: JsonSchema = { type: 'object', additionalProperties: true };
const challengeSchema = objectSchema({
  device_class: stringSchema,
  device_uid: stringSchema,
  challenge: anyObject,
  last_used: orNull(timeSchema),
});
const setupSchema = objectSchema({
  pk: stringSchema,
  name: stringSchema,
  verbose_name: stringSchema,
  meta_model_name: stringSchema,
});
const optional = { nullable: true, default: null } as const;
const answer = {
  selected_challenge: record({ device_class: text(), device_uid: text(), challenge: json({ default: {} }) }, optional),
  selected_stage: text(optional),
};

/** Requires proof of a device that belongs to the user. The settings decide what happens to users without one. */
export function authenticatorValidate(needs: Dependencies): StageKind {
  const proofs: Fields = Object.assign({}, ...needs.deviceKinds.map(({ proof }) => proof));
  return defineStageKind({
    resource: authenticatorValidateStage(needs.deviceKinds.map(({ deviceClass }) => deviceClass)),
    component: 'xak-stage-authenticator-validate',
    allowsImpersonation: true,
    roles: ({ device_classes, not_configured_action }) => [
      'asks for device',
      // A passkey also identifies its user.
      device_classes.includes('webauthn') ? 'identifies' : 'needs user',
      ...(not_configured_action === 'deny' ? (['demands device', 'proves'] as const) : []),
    ],
    challenge: {
      ...pendingUserSchemas,
      device_challenges: arrayOf(challengeSchema),
      configuration_stages: arrayOf(setupSchema),
    },
    answer: { ...proofs, ...answer },
    show: async (step) => shown(step, await validationOf(needs, step)),
    verifyRegistration: (step, given) => verifyAnswer(needs, step, given),
    demo: (demo) => makeDemoStage(demo, needs.deviceKinds),
  });
}

/** Sends users without a device to the demo's enrolment stages. */
async function makeDemoStage({ api }: Demo, kinds: readonly DeviceKind[]): Promise<void> {
  const models = new Set<unknown>(kinds.map(({ setupStage }) => setupStage));
  const results = await api.list('/stages/all/?search=Demo&page_size=100');
  const setups = results.filter(({ meta_model_name }) => models.has(meta_model_name));
  const values = { not_configured_action: 'configure', last_auth_threshold: 'hours=8' };
  await api.ensure(
    '/stages/authenticator/validate/',
    { name: 'Demo: two factors' },
    { ...values, configuration_stages: setups.map(({ pk }) => pk) },
  );
}

async function shown(step: Step<ValidateSettings>, validation: Validation): Promise<Move> {
  if (validation.do === 'move') return validation.move;
  if (validation.do === 'nothing') {
    recordDevice(step, validation.kind, validation.device);
    return next();
  }
  const factors = validation.do === 'prove' ? validation.factors : [];
  const stages = validation.do === 'enrol' ? validation.stages : [];
  const [only] = stages;
  if (only && stages.length === 1) return setUp(step, only);
  return ask({
    ...(await pendingUserMembers(step)),
    device_challenges: offeredChallenges(factors),
    configuration_stages: stages,
  });
}

async function verifyAnswer(
  needs: Dependencies,
  step: Step<ValidateSettings>,
  given: ValuesOf<typeof answer> & Readonly<Record<string, unknown>>,
): Promise<Move> {
  const validation = await validationOf(needs, step);
  if (validation.do === 'enrol' && given.selected_stage !== null) {
    const stage = validation.stages.find(({ pk }) => pk === given.selected_stage);
    return stage ? setUp(step, stage) : stay({ selected_stage: ['Invalid stage selected'] });
  }
  if (validation.do !== 'prove') return shown(step, validation);
  const chosen = given.selected_challenge;
  const factors = chosen
    ? validation.factors.filter(({ challenges }) => challenges.some((challenge) => isSame(challenge, chosen)))
    : validation.factors;
  if (factors.length === 0) return stay({ selected_challenge: ['Invalid device'] });
  const member = needs.deviceKinds.map(proofMember).find((name) => given[name] !== null);
  if (member) {
    // Parsed from JSON and read by its field.
    const proof = given[member] as Json;
    const move = await verifyFactor(needs, step, { user: validation.user, factors, member, proof });
    return move ?? shown(step, await validationOf(needs, step));
  }
  for (const { kind, ground } of chosen ? factors : []) {
    const device = ground.devices.find(({ pk }) => String(pk) === chosen?.device_uid);
    const complaint = device && (await kind.choose?.(ground, device));
    if (complaint) return stay({ selected_challenge: [complaint] });
  }
  return shown(step, validation);
}

const isSame = (one: { device_class: string; device_uid: string }, other: typeof one): boolean =>
  one.device_class === other.device_class && one.device_uid === other.device_uid;
