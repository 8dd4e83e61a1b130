interface Limits {
  readonly concurrency: number;
  /** How many may wait for their turn. */
  readonly queue: number;
  /** The error for further callers. */
  full(): Error;
}

/** Runs so much work at a time; more waits in line. */
export function createWorkQueue({ concurrency, queue, full }: Limits): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;

  return async (work) => {
    if (running < concurrency) running++;
    else if (waiting.length < queue) await new Promise<void>((start) => waiting.push(start));
    else throw full();
    try {
      return await work();
    } finally {
      // The slot passes directly to the next caller in the queue, so that no new caller can take it first.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
