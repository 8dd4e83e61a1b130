import { useState } from 'react';
import { useAttempt } from '../../elements/use-attempt.ts';
import { type BulkResult, type BulkWrite, writeInBulk } from '../api/bulk.ts';

interface BulkWriting {
  readonly done: number;
  readonly isBusy: boolean;
  /** Why the rest was not written. */
  readonly problem: string | null;
  /** What came of each write, if not all of them went well. */
  readonly outcome: readonly BulkResult[] | null;
  write(writes: readonly BulkWrite[]): Promise<readonly BulkResult[] | undefined>;
}

/** Writes many objects, with their progress. */
export function useBulkWrite(): BulkWriting {
  const [done, setDone] = useState(0);
  const { isBusy, problem, attempt } = useAttempt();
  const [outcome, setOutcome] = useState<readonly BulkResult[] | null>(null);
  return {
    ...{ done, isBusy, problem, outcome },
    write: (writes) =>
      attempt(async () => {
        const results = await writeInBulk(writes, setDone);
        if (results.some(({ status }) => status >= 400)) setOutcome(results);
        return results;
      }),
  };
}
