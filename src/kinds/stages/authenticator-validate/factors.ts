import { sql } from 'kysely';
import type { UserFacts } from '../../../core/mapping/user-facts.ts';
import type { DeviceChallenge, DeviceKind, FactorInput } from '../../../flow/devices/device-kind.ts';
import { devicesOf } from '../../../flow/devices/load-devices.ts';
import type { Step } from '../../../flow/executor/stage-kind.ts';
import { statement } from '../../../platform/db/statement.ts';
import type { ValidateSettings } from './authenticator-validate-stage.resource.ts';

/** A class of devices that the person can verify now. */
export interface Factor {
  readonly kind: DeviceKind;
  readonly ground: FactorInput;
  readonly challenges: readonly DeviceChallenge[];
}

const confirmedKinds = statement<[user: number], { kind: string }>(
  (user) => sql`select distinct kind from devices where "user" = ${user} and confirmed`,
);

/** The classes in which the user has a confirmed device. */
export async function ownedKinds(
  { call }: Step<ValidateSettings>,
  kinds: readonly DeviceKind[],
  user: number,
): Promise<readonly DeviceKind[]> {
  const rows = await confirmedKinds(call.db.read, user);
  const owned = new Set(rows.map(({ kind }) => kind));
  return kinds.filter(({ deviceResources }) => owned.has(deviceResources.own.model));
}

/** The usable factors of these classes. Without a user: those that can identify the user themselves. */
export async function usableFactors(
  step: Step<ValidateSettings>,
  kinds: readonly DeviceKind[],
  user: UserFacts | null,
): Promise<Factor[]> {
  const factors: Factor[] = [];
  for (const kind of kinds) {
    const devices = user ? await devicesOf(step, kind.deviceResources, user.pk) : [];
    const ground = { step, user, devices };
    const challenges = await kind.challenges(ground);
    if (challenges.length > 0) factors.push({ kind, ground, challenges });
  }
  return factors;
}

/** The challenges on offer: last used first, backups last. */
export const offeredChallenges = (factors: readonly Factor[]): DeviceChallenge[] =>
  factors
    .flatMap(({ kind, challenges }) => challenges.map((challenge) => ({ challenge, isBackup: kind.isBackup ?? false })))
    .sort(
      (left, right) =>
        Number(left.isBackup) - Number(right.isBackup) ||
        (right.challenge.last_used ?? '').localeCompare(left.challenge.last_used ?? ''),
    )
    .map(({ challenge }) => challenge);
