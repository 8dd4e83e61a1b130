import { type Clock, toTimestamp } from '../../../src/platform/clock.ts';

export interface MovableClock extends Clock {
  /** Lets time pass for the server. */
  pass(seconds: number): void;
}

export function movableClock(): MovableClock {
  let ahead = 0;
  return {
    now: () => toTimestamp(Date.now() + ahead),
    pass(seconds) {
      ahead += seconds * 1000;
    },
  };
}

/** The time as tokens hold it, by the clock on the wall. */
export const now = (): number => Math.floor(Date.now() / 1000);
