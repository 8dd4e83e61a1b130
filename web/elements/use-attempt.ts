import { useState } from 'react';
import { errorMessage } from '../api/call.ts';

/** Something that takes a while and may fail: `attempt` does it, one at a time, and keeps what went wrong. */
export function useAttempt() {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  async function attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (isBusy) return undefined;
    setBusy(true);
    setProblem(null);
    try {
      return await work();
    } catch (caught) {
      setProblem(errorMessage(caught));
      return undefined;
    } finally {
      setBusy(false);
    }
  }
  return { isBusy, problem, attempt };
}
