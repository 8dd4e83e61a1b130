import { addMilliseconds } from '../../../platform/clock.ts';
import { nullIfUnreadable, type SecretBox } from '../../../platform/keys.ts';

/**
 * What a sign-in is for, from the application to this server and back. It travels in the address, so each tab has its
 * own.
 */
export interface SignInState {
  readonly provider: number;
  /** Where the person goes on. */
  readonly target: string;
  /** The hash of the secret that the browser got on the host of the application. */
  readonly browser: string;
  /** Whether it is the second try, because the browser did not bring its secret. */
  readonly isRetry: boolean;
}

const sealedAs = 'proxy sign-in';
/** As long as a walk through a flow may take. */
const lifetimeMs = 30 * 60_000;

export const sealState = (box: SecretBox, state: SignInState, now: string): string =>
  box.seal(JSON.stringify({ state, expires: addMilliseconds(now, lifetimeMs) }), sealedAs);

/** Null for what this server did not write, or too long ago. */
export function openState(box: SecretBox, sealed: string | null, now: string): SignInState | null {
  const text = sealed === null ? null : nullIfUnreadable(() => box.open(sealed, sealedAs));
  if (text === null) return null;
  const { state, expires }: { state: SignInState; expires: string } = JSON.parse(text);
  return expires > now ? state : null;
}
