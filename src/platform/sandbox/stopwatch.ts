export class TimeLimitExceeded extends Error {}

export interface Stopwatch {
  start(timeMs: number): void;
  /** The remaining time; negative once it is up. */
  readonly leftMs: number;
  /** Throws when the time is up. Call it often. */
  check(): void;
  /** The same after something else has run, which may have taken long. */
  checkAll(): void;
}

/**
 * A step between two checks takes far less. What exceeds it is time that the host of a virtual machine gave to others:
 * Linux counts that as CPU time of the running process, hundreds of milliseconds at once.
 */
const maxStepMs = 10;

export function createStopwatch(spentMs = spentByThread): Stopwatch {
  let leftMs = Number.POSITIVE_INFINITY;
  let last = 0;

  function spend(maxMs: number): void {
    const now = spentMs();
    leftMs -= Math.min(now - last, maxMs);
    last = now;
    if (leftMs < 0) throw new TimeLimitExceeded();
  }

  return {
    get leftMs() {
      return leftMs;
    },
    start(timeMs) {
      leftMs = timeMs;
      last = spentMs();
    },
    check: () => spend(maxStepMs),
    checkAll: () => spend(Number.POSITIVE_INFINITY),
  };
}

/** CPU time, not wall time: a busy machine must not make expressions fail. */
function spentByThread(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
