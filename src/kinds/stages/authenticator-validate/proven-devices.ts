import { deviceKeysIn } from '../../../flow/devices/enrol.ts';
import type { Step } from '../../../flow/executor/stage-kind.ts';
import type { ValidateSettings } from './authenticator-validate-stage.resource.ts';

const proven = 'proven_devices';

type Context = Step<ValidateSettings>['context'];

export function addProven(context: Context, pk: number): void {
  context.user_notes[proven] = [...provenDevices(context), pk];
}

/**
 * Keys of the devices that were shown on this walk, at this stage or at one before it; not those remembered in the
 * browser.
 */
export const provenDevices = (context: Context): number[] => deviceKeysIn(context, proven);
