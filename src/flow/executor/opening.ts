import { addMilliseconds } from '../../platform/clock.ts';
import type { InstanceKey } from '../../platform/keys.ts';
import type { Call } from '../../resource/call.ts';
import { type FlowState, firstContext } from './flow-state.ts';

const lifetimeMs = 30 * 60_000;
const sealedAs = 'flow opening';
/** Browsers keep cookies of 4,096 bytes, with their names and attributes. */
const longestOpening = 3_600;

interface Opening {
  readonly token: string;
  readonly state: FlowState;
  readonly expires: string;
}

/**
 * A walk that nobody has answered yet, for the browser to keep: strangers who only look at a flow leave nothing here. Sealed,
 * so it cannot be made up or read. It may come back as often as the browser likes, so it holds nothing that must be used
 * once: no memory of a step, nothing gathered. Null when the walk has to be stored.
 */
export function sealOpening(key: InstanceKey, token: string, state: FlowState, { actor, now }: Call): string | null {
  if (actor !== null || !isUntouched(state)) return null;
  const opening: Opening = { token, state, expires: addMilliseconds(now, lifetimeMs) };
  const sealed = key.box.seal(JSON.stringify(opening), sealedAs);
  return sealed.length > longestOpening ? null : sealed;
}

/** The walk that a browser kept, with its token; null for anything that this server has not sealed, or too long ago. */
export function readOpening(key: InstanceKey, sealed: string, now: string): Opening | null {
  try {
    const opening = JSON.parse(key.box.open(sealed, sealedAs)) as Opening;
    return opening.expires > now ? opening : null;
  } catch {
    // What cannot be opened was not sealed here.
    return null;
  }
}

const isUntouched = ({ plan, context, memory }: FlowState): boolean =>
  Object.keys(memory).length === 0 && JSON.stringify(context) === JSON.stringify(firstContext(plan));
