import { sql } from 'kysely';
import { countAttempt, resetAttempts } from '../../../core/attempts/attempts.ts';
import type { UserFacts } from '../../../core/mapping/user-facts.ts';
import type { Device, DeviceKind } from '../../../flow/devices/device-kind.ts';
import { setPendingUser } from '../../../flow/executor/flow-state.ts';
import { type Move, next, type Step, stay } from '../../../flow/executor/stage-kind.ts';
import { lockedOutMessage } from '../../../flow/passwords/attempt-messages.ts';
import type { Json } from '../../../lib/json.ts';
import { Problem } from '../../../lib/problem.ts';
import type { Query } from '../../../platform/db/database.ts';
import type { SignInAttempt } from '../../../policy/kind.ts';
import type { Call } from '../../../resource/call.ts';
import { modelFacts } from '../../../resource/write/audit.ts';
import { type ValidateSettings, validateModel } from './authenticator-validate-stage.resource.ts';
import type { Factor } from './factors.ts';
import { addProven } from './proven-devices.ts';
import { type RememberNeeds, rememberCookies } from './remembered-device.ts';
import { nothingAccepted } from './validation.ts';

export interface ProofNeeds extends RememberNeeds {
  /** Reports the outcome of an attempt to policies. */
  noteAttempt(tx: Query, attempt: SignInAttempt, call: Call): Promise<void>;
}

/** The member of an answer that proves a device of this kind. */
export const proofMember = ({ proof }: DeviceKind): string => Object.keys(proof)[0] ?? '';

interface Given {
  readonly user: UserFacts | null;
  readonly factors: readonly Factor[];
  readonly member: string;
  readonly proof: Json;
}

/** Checks the proof of a device. Null: it is right, but of a class that only lets its owner enrol another device. */
export async function verifyFactor(
  needs: ProofNeeds,
  step: Step<ValidateSettings>,
  { user, factors, member, proof: given }: Given,
): Promise<Move | null> {
  const { call } = step;
  const { clientIp: ip } = call.request;
  const tried = factors.filter(({ kind }) => proofMember(kind) === member);
  const isUnguessable = tried.every(({ kind }) => kind.isUnguessable);
  const who = user && !isUnguessable ? { secondFactorOf: user.pk } : `${member} in request ${call.request.id}`;
  const attempt = { who, ip, now: call.now };
  const counted = await countAttempt(call, needs.key, attempt);
  if (counted.isBlocked) return stay({ [member]: [lockedOutMessage(counted.waitMs)] });
  let complaint: string | null = null;
  for (const { kind, ground } of tried) {
    const proof = await kind.prove(ground, given);
    if ('device' in proof)
      return passed(needs, step, kind, proof.device, (tx) => resetAttempts(tx, needs.key, attempt));
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

async function passed(
  needs: ProofNeeds,
  step: Step<ValidateSettings>,
  kind: DeviceKind,
  device: Device,
  forgive: (tx: Query) => Promise<void>,
): Promise<Move | null> {
  const { context, settings, call } = step;
  if (context.pending_user === null) {
    setPendingUser(context, device.user);
    context.auth_method = 'auth_webauthn_pwl';
  }
  recordDevice(step, kind, device);
  addProven(context, device.pk);
  const write = async (tx: Query) => {
    await forgive(tx);
    const { rows } = await sql`update devices set last_used = ${call.now} where pk = ${device.pk} and confirmed
      returning pk`.execute(tx);
    if (rows.length === 0) throw new Problem('permission_denied', nothingAccepted);
  };
  if (settings.device_classes.includes(kind.deviceClass))
    return next(write, rememberCookies(needs, step, device.user, device.pk));
  await call.db.write(write);
  return null;
}

/** For policies and for the sign-in event. */
export function recordDevice({ context }: Step<ValidateSettings>, kind: DeviceKind, device: Device): void {
  context.mfa_devices = [...context.mfa_devices, String(device.pk)];
  const shown = { ...modelFacts(kind.deviceResources.own, device.pk, device), methods: kind.methods(device) };
  const mfa_devices = [context.auth_method_args.mfa_devices ?? [], shown].flat();
  context.auth_method_args = { ...context.auth_method_args, mfa_devices };
}
