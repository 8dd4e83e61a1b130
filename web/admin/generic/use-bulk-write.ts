import { useState } from 'react';
import { wordsOf } from '../../api/call.ts';
import { type BulkResult, type BulkWrite, writeInBulk } from '../api/bulk.ts';

interface BulkWriting {
  readonly done: number;
  readonly isBusy: boolean;
  /** Why the rest was not written. */
  readonly problem: string | null;
  /** What came of each write, if not all of them went well. */
  readonly outcome: readonly BulkResult[] | null;
  write(writes: readonly BulkWrite[]): Promise<readonly BulkResult[] | null>;
}

/** Writes many objects, with their progress. */
export function useBulkWrite(): BulkWriting {
  const [done, setDone] = useState(0);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [outcome, setOutcome] = useState<readonly BulkResult[] | null>(null);
  return {
    ...{ done, isBusy, problem, outcome },
    async write(writes) {
      if (isBusy) return null;
      setBusy(true);
      setProblem(null);
      try {
        const results = await writeInBulk(writes, setDone);
        if (results.some(({ status }) => status >= 400)) setOutcome(results);
        return results;
      } catch (caught) {
        setProblem(wordsOf(caught));
        return null;
      } finally {
        setBusy(false);
      }
    },
  };
}
