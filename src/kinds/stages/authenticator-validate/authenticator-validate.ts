import { sql } from 'kysely';
import { claimAttempt, forgiveAttempt } from '../../../core/attempts/attempts.ts';
import type { Demo } from '../../../core/kind/demo.ts';
import type { UserFacts } from '../../../core/mapping/user-facts.ts';
import type { Device, DeviceKind } from '../../../flow/devices/device-kind.ts';
import { enrolledDevices } from '../../../flow/devices/enrol.ts';
import { setPendingUser } from '../../../flow/executor/flow-state.ts';
import { pendingUserMembers, pendingUserSchemas } from '../../../flow/executor/pending-user.ts';
import {
  ask,
  defineStageKind,
  deny,
  type Move,
  next,
  type StageKind,
  type Step,
  stay,
} from '../../../flow/executor/stage-kind.ts';
import { blockedWords } from '../../../flow/passwords/judge-password.ts';
import { networkOf } from '../../../lib/cidr.ts';
import type { Json } from '../../../lib/json.ts';
import { Problem } from '../../../lib/problem.ts';
import type { Query } from '../../../platform/db/database.ts';
import type { SignInAttempt } from '../../../policy/kind.ts';
import { modelFacts } from '../../../resource/audit.ts';
import type { Call } from '../../../resource/call.ts';
import type { Fields, ValuesOf } from '../../../resource/fields/field.ts';
import { json, record } from '../../../resource/fields/structured.ts';
import { text } from '../../../resource/fields/text.ts';
import {
  arrayOf,
  type JsonSchema,
  objectSchema,
  orNull,
  stringSchema,
  timeSchema,
} from '../../../resource/json-schema.ts';
import {
  authenticatorValidateStage,
  type ValidateSettings,
  validateModel,
} from './authenticator-validate-stage.resource.ts';
import { type Factor, offeredChallenges, ownedKinds, usableFactors } from './factors.ts';
import { type RememberNeeds, rememberCookies, rememberedDevice } from './remembered-device.ts';
import { hasBegunSetUp, type SetupStage, setUp, setupStages } from './set-up.ts';

interface Needs extends RememberNeeds {
  readonly deviceKinds: readonly DeviceKind[];
  /** Reports the outcome of an attempt to policies. */
  noteAttempt(tx: Query, attempt: SignInAttempt, call: Call): Promise<void>;
}

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
const nothingAccepted = 'You have no device that is accepted here.';

/** Requires proof of a device that belongs to the user. The settings decide what happens to users without one. */
export function authenticatorValidate(needs: Needs): StageKind {
  const proofs: Fields = Object.assign({}, ...needs.deviceKinds.map(({ proof }) => proof));
  return defineStageKind({
    resource: authenticatorValidateStage(needs.deviceKinds.map(({ deviceClass }) => deviceClass)),
    component: 'xak-stage-authenticator-validate',
    roles: ({ device_classes, not_configured_action }) => [
      'asks for device',
      // A passkey tells whose it is.
      device_classes.includes('webauthn') ? 'identifies' : 'needs user',
      ...(not_configured_action === 'deny' ? (['demands device', 'proves'] as const) : []),
    ],
    challenge: {
      ...pendingUserSchemas,
      device_challenges: arrayOf(challengeSchema),
      configuration_stages: arrayOf(setupSchema),
    },
    answer: { ...proofs, ...answer },
    show: async (step) => shown(step, await standing(needs, step)),
    judge: (step, given) => judge(needs, step, given),
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

/** The state of a person who reaches this stage. */
type ValidationStep =
  | { readonly at: 'proven'; readonly kind: DeviceKind; readonly device: Device }
  | { readonly at: 'asked'; readonly user: UserFacts | null; readonly factors: readonly Factor[] }
  | { readonly at: 'choosing'; readonly stages: readonly SetupStage[] }
  | { readonly at: 'without'; readonly move: Move };

async function standing(needs: Needs, step: Step<ValidateSettings>): Promise<ValidationStep> {
  const { context, settings } = step;
  const user = await step.pendingUser();
  const accepted = needs.deviceKinds.filter(({ deviceClass }) => settings.device_classes.includes(deviceClass));
  // Nobody is identified yet, so the device may identify the user. An unknown user name counts as a user without
  // devices.
  if (!user && context.pending_user_identifier === null) {
    const factors = await usableFactors(step, accepted, null);
    return factors.length > 0 ? { at: 'asked', user, factors } : { at: 'without', move: deny(nothingAccepted) };
  }
  const owned = user ? await ownedKinds(step, needs.deviceKinds, user.pk) : [];
  const ownedAccepted = owned.filter((kind) => accepted.includes(kind));
  const factors = user ? await usableFactors(step, ownedAccepted, user) : [];
  if (user && factors.length > 0) {
    const verified = alreadyShown(needs, step, user, factors);
    return verified ? { at: 'proven', ...verified } : { at: 'asked', user, factors };
  }
  // A used-up list or a key of a type no longer allowed is not the same as having no device: it must not skip the
  // check.
  const isNone = ownedAccepted.length === 0;
  if (settings.not_configured_action === 'skip' && isNone) return { at: 'without', move: next() };
  if (settings.not_configured_action !== 'configure' || !user || hasBegunSetUp(step))
    return { at: 'without', move: deny(nothingAccepted) };
  // Whoever has other devices must verify one before enrolling another: the password alone is not enough.
  if (context.mfa_devices.length === 0 && owned.length > 0) {
    const others = await usableFactors(step, owned, user);
    return others.length > 0 ? { at: 'asked', user, factors: others } : { at: 'without', move: deny(nothingAccepted) };
  }
  const stages = await setupStages(step, accepted);
  return stages.length > 0 ? { at: 'choosing', stages } : { at: 'without', move: deny(nothingAccepted) };
}

/** The device that was enrolled on this walk, or verified recently in this browser. */
function alreadyShown(
  needs: Needs,
  step: Step<ValidateSettings>,
  user: UserFacts,
  factors: readonly Factor[],
): { kind: DeviceKind; device: Device } | null {
  const verified = new Set(enrolledDevices(step.context));
  const remembered = rememberedDevice(needs, step, user);
  if (remembered !== null) verified.add(remembered);
  for (const { kind, ground } of factors) {
    const device = ground.devices.find(({ pk }) => verified.has(pk));
    if (device) return { kind, device };
  }
  return null;
}

async function shown(step: Step<ValidateSettings>, where: ValidationStep): Promise<Move> {
  if (where.at === 'without') return where.move;
  if (where.at === 'proven') {
    noteDevice(step, where.kind, where.device);
    return next();
  }
  const [only] = where.at === 'choosing' ? where.stages : [];
  if (where.at === 'choosing' && only && where.stages.length === 1) return setUp(step, only);
  return ask({
    ...(await pendingUserMembers(step)),
    device_challenges: where.at === 'asked' ? offeredChallenges(where.factors) : [],
    configuration_stages: where.at === 'choosing' ? where.stages : [],
  });
}

async function judge(
  needs: Needs,
  step: Step<ValidateSettings>,
  given: ValuesOf<typeof answer> & Readonly<Record<string, unknown>>,
): Promise<Move> {
  const where = await standing(needs, step);
  if (where.at === 'choosing' && given.selected_stage !== null) {
    const stage = where.stages.find(({ pk }) => pk === given.selected_stage);
    return stage ? setUp(step, stage) : stay({ selected_stage: ['Invalid stage selected'] });
  }
  if (where.at !== 'asked') return shown(step, where);
  const chosen = given.selected_challenge;
  const factors = chosen
    ? where.factors.filter(({ challenges }) => challenges.some((challenge) => isSame(challenge, chosen)))
    : where.factors;
  if (factors.length === 0) return stay({ selected_challenge: ['Invalid device'] });
  const member = needs.deviceKinds.map(proofMember).find((name) => given[name] !== null);
  // Parsed from JSON and read by its field.
  if (member) return prove(needs, step, where.user, factors, member, given[member] as Json);
  for (const { kind, ground } of chosen ? factors : []) {
    const device = ground.devices.find(({ pk }) => String(pk) === chosen?.device_uid);
    const complaint = device && (await kind.choose?.(ground, device));
    if (complaint) return stay({ selected_challenge: [complaint] });
  }
  return shown(step, where);
}

const proofMember = ({ proof }: DeviceKind): string => Object.keys(proof)[0] ?? '';

const isSame = (one: { device_class: string; device_uid: string }, other: typeof one): boolean =>
  one.device_class === other.device_class && one.device_uid === other.device_uid;

async function prove(
  needs: Needs,
  step: Step<ValidateSettings>,
  user: UserFacts | null,
  factors: readonly Factor[],
  member: string,
  given: Json,
): Promise<Move> {
  const { call } = step;
  const { clientIp: ip } = call.request;
  const attempt = { who: user ? { secondFactorOf: user.pk } : `passwordless from ${networkOf(ip)}`, ip, now: call.now };
  if (!(await claimAttempt(call, needs.key, attempt))) return stay({ [member]: [blockedWords] });
  let complaint: string | null = null;
  for (const { kind, ground } of factors) {
    if (proofMember(kind) !== member) continue;
    const proof = await kind.prove(ground, given);
    if ('device' in proof)
      return passed(needs, step, kind, proof.device, (tx) => forgiveAttempt(tx, needs.key, attempt));
    complaint ??= proof.complaint;
  }
  const classes = [...new Set(factors.map(({ kind }) => kind.deviceClass))];
  return stay({ [member]: [complaint ?? 'Invalid device'] }, async (tx, failed) => {
    const identifier = user?.username ?? '';
    if (user) await needs.noteAttempt(tx, { identifier, ip, now: failed.now, by: -1 }, failed);
    const { pk, name } = step.settings;
    const [app = '', model_name = ''] = validateModel.split('.');
    const context = {
      username: identifier,
      stage: { app, model_name, pk, name },
      device_class: classes.join(','),
    };
    await failed.world.record(tx, failed, { action: 'login_failed', app, context });
  });
}

/**
 * Handles a correct proof. Only an accepted class completes the stage; any other just lets its owner enrol a device.
 */
async function passed(
  needs: Needs,
  step: Step<ValidateSettings>,
  kind: DeviceKind,
  device: Device,
  forgive: (tx: Query) => Promise<void>,
): Promise<Move> {
  const { context, settings, call } = step;
  if (context.pending_user === null) {
    setPendingUser(context, device.user);
    context.auth_method = 'auth_webauthn_pwl';
  }
  noteDevice(step, kind, device);
  const write = async (tx: Query) => {
    await forgive(tx);
    const { rows } = await sql`update devices set last_used = ${call.now} where pk = ${device.pk} and confirmed
      returning pk`.execute(tx);
    if (rows.length === 0) throw new Problem('permission_denied', nothingAccepted);
  };
  if (settings.device_classes.includes(kind.deviceClass))
    return next(write, rememberCookies(needs, step, device.user, device.pk));
  await call.db.write(write);
  return shown(step, await standing(needs, step));
}

/** For policies and for the sign-in event. */
function noteDevice({ context }: Step<ValidateSettings>, kind: DeviceKind, device: Device): void {
  context.mfa_devices = [...context.mfa_devices, String(device.pk)];
  const shown = { ...modelFacts(kind.deviceResources.own, device.pk, device), methods: kind.methods(device) };
  const mfa_devices = [context.auth_method_args.mfa_devices ?? [], shown].flat();
  context.auth_method_args = { ...context.auth_method_args, mfa_devices };
}
