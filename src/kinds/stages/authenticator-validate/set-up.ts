import { sql } from 'kysely';
import type { DeviceKind } from '../../../flow/devices/device-kind.ts';
import type { Move, Step } from '../../../flow/executor/stage-kind.ts';
import type { ValidateSettings } from './authenticator-validate-stage.resource.ts';

/** A stage in which a user without a device can enrol one. */
export interface SetupStage {
  readonly pk: string;
  readonly name: string;
  readonly verbose_name: string;
  readonly meta_model_name: string;
}

const begun = 'mfa_setup_begun';

/** The configured enrolment stages for accepted classes of device. */
export async function setupStages(
  { call, settings, engine }: Step<ValidateSettings>,
  kinds: readonly DeviceKind[],
): Promise<SetupStage[]> {
  const chosen = settings.configuration_stages;
  if (chosen.length === 0) return [];
  const models = new Set(kinds.map(({ setupStage }) => setupStage));
  const { rows } = await sql<{ pk: string; name: string; kind: string }>`select pk, name, kind from stages
    where pk in (${sql.join(chosen)}) order by name`.execute(call.db.read);
  return rows
    .filter(({ kind }) => models.has(kind))
    .map(({ pk, name, kind }) => ({
      pk,
      name,
      verbose_name: engine.registry.find(kind)?.names[0] ?? '',
      meta_model_name: kind,
    }));
}

/** Goes to the enrolment stage and then back to verification. Only once: returning without a device is a failure. */
export function setUp({ context }: Pick<Step, 'context'>, { pk, meta_model_name }: SetupStage): Move {
  context.user_notes[begun] = true;
  return { move: 'detour', stage: pk, kind: meta_model_name };
}

export const hasBegunSetUp = ({ context }: Pick<Step, 'context'>): boolean => context.user_notes[begun] === true;
