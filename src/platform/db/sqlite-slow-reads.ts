import type { CompiledQuery } from 'kysely';
import { memoizeWeakly } from '../../lib/memoize.ts';
import type { Query } from './database.ts';
import type { Answers } from './sqlite-answers.ts';
import { queryOn } from './sqlite-query.ts';
import type { ReadThread } from './sqlite-thread.ts';

/** A statement that takes longer in the main thread holds up others noticeably. */
const slowMs = 50;
const rememberedForMs = 600_000;
/** A busy machine may interrupt any statement, but hardly the same one this often in a row. */
const trials = 2;

export interface SlowReads {
  /** Whether a read of this took long lately. */
  isSlow(subject: object): boolean;
  /** Runs reads of the subject, and remembers it if one takes long. */
  timed(subject: object): Query;
}

/** Finds what takes long although an index leads to it: an object that nests very many others, say. */
export function createSlowReads({ execute }: Answers, thread: ReadThread): SlowReads {
  const slowUntil = new WeakMap<object, number>();

  const timed = memoizeWeakly((subject: object) =>
    queryOn({
      execute(query) {
        const started = performance.now();
        try {
          return execute(query);
        } finally {
          if (performance.now() - started > slowMs) void judge(subject, query);
        }
      },
    }),
  );

  /** Until it is known, the subject counts as slow. */
  async function judge(subject: object, query: CompiledQuery): Promise<void> {
    slowUntil.set(subject, Number.POSITIVE_INFINITY);
    const isSlow = await takesLong(query).catch(() => true);
    slowUntil.set(subject, isSlow ? performance.now() + rememberedForMs : 0);
  }

  async function takesLong(query: CompiledQuery): Promise<boolean> {
    for (let trial = 0; trial < trials; trial++) if ((await thread.time(query)) <= slowMs) return false;
    return true;
  }

  return { isSlow: (subject) => performance.now() < (slowUntil.get(subject) ?? 0), timed };
}
