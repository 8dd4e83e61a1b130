import { memoizeWeakly } from '../../lib/memoize.ts';
import type { Query } from './database.ts';
import type { Answers } from './sqlite-answers.ts';
import { queryOn } from './sqlite-query.ts';

/** A statement that takes longer in the main thread holds up others noticeably. */
const slowMs = 50;
const rememberedForMs = 600_000;

export interface SlowReads {
  /** Whether a read of this took long lately. */
  isSlow(subject: object): boolean;
  /** Runs reads of the subject, and remembers it if one takes long. */
  timed(subject: object): Query;
}

/** Finds what takes long although an index leads to it: an object that nests very many others, say. */
export function createSlowReads({ execute }: Answers): SlowReads {
  const slowUntil = new WeakMap<object, number>();

  const timed = memoizeWeakly((subject: object) =>
    queryOn({
      execute(query) {
        const started = performance.now();
        try {
          return execute(query);
        } finally {
          const ended = performance.now();
          if (ended - started > slowMs) slowUntil.set(subject, ended + rememberedForMs);
        }
      },
    }),
  );

  return { isSlow: (subject) => performance.now() < (slowUntil.get(subject) ?? 0), timed };
}
