import type { UserFacts } from '../../../core/mapping/user-facts.ts';
import type { Device, DeviceKind } from '../../../flow/devices/device-kind.ts';
import { enrolledDevices } from '../../../flow/devices/enrol.ts';
import { deny, type Move, next, type Step } from '../../../flow/executor/stage-kind.ts';
import type { ValidateSettings } from './authenticator-validate-stage.resource.ts';
import { type Factor, ownedKinds, usableFactors } from './factors.ts';
import { provenDevices } from './proven-devices.ts';
import { type RememberNeeds, rememberedDevice } from './remembered-device.ts';
import { hasBegunSetUp, type SetupStage, setupStages } from './set-up.ts';

export interface ValidationNeeds extends RememberNeeds {
  readonly deviceKinds: readonly DeviceKind[];
}

export const nothingAccepted = 'You have no device that is accepted here.';

/** What a person who reaches this stage has to do. */
export type Validation =
  | { readonly do: 'nothing'; readonly kind: DeviceKind; readonly device: Device }
  | { readonly do: 'prove'; readonly user: UserFacts | null; readonly factors: readonly Factor[] }
  | { readonly do: 'enrol'; readonly stages: readonly SetupStage[] }
  | { readonly do: 'move'; readonly move: Move };

const denied: Validation = { do: 'move', move: deny(nothingAccepted) };

export async function validationOf(needs: ValidationNeeds, step: Step<ValidateSettings>): Promise<Validation> {
  const { context, settings } = step;
  const user = await step.pendingUser();
  const accepted = needs.deviceKinds.filter(({ deviceClass }) => settings.device_classes.includes(deviceClass));
  // No user is identified yet, so the device may identify one.
  if (!user && context.pending_user_identifier === null)
    return createValidation(null, await usableFactors(step, accepted, null));
  // An unknown username counts as a user without devices.
  if (!user) return settings.not_configured_action === 'skip' ? skipped : denied;
  const owned = await ownedKinds(step, needs.deviceKinds, user.pk);
  const ownedAccepted = owned.filter((kind) => accepted.includes(kind));
  const factors = await usableFactors(step, ownedAccepted, user);
  if (factors.length > 0) {
    const verified = alreadyVerified(needs, step, user, factors);
    return verified ? { do: 'nothing', ...verified } : createValidation(user, factors);
  }
  // A used-up list or a key of a type no longer allowed is not the same as having no device: it must not skip the
  // check.
  if (settings.not_configured_action === 'skip') return ownedAccepted.length === 0 ? skipped : denied;
  if (settings.not_configured_action === 'deny' || hasBegunSetUp(step)) return denied;
  // Users with other devices must verify one before enrolling another: the password alone is not enough.
  if (context.mfa_devices.length === 0 && owned.length > 0)
    return createValidation(user, await usableFactors(step, owned, user));
  const stages = await setupStages(step, accepted);
  return stages.length > 0 ? { do: 'enrol', stages } : denied;
}

const skipped: Validation = { do: 'move', move: next() };

const createValidation = (user: UserFacts | null, factors: readonly Factor[]): Validation =>
  factors.length > 0 ? { do: 'prove', user, factors } : denied;

/** The device that was enrolled or shown on this walk, or verified recently in this browser. */
function alreadyVerified(
  needs: ValidationNeeds,
  step: Step<ValidateSettings>,
  user: UserFacts,
  factors: readonly Factor[],
): { kind: DeviceKind; device: Device } | null {
  const verified = new Set(enrolledDevices(step.context));
  const remembered = rememberedDevice(needs, step, user);
  if (remembered !== null) verified.add(remembered);
  const proven = new Set(provenDevices(step.context));
  for (const { kind, ground } of factors) {
    // The previous stage may not have required user verification.
    const counts = kind.deviceClass !== 'webauthn' || step.settings.webauthn_user_verification !== 'required';
    const device = ground.devices.find(({ pk }) => verified.has(pk) || (counts && proven.has(pk)));
    if (device) return { kind, device };
  }
  return null;
}
