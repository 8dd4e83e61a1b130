import type { Query } from './database.ts';

export interface Effects {
  add(tx: Query, effect: () => void): void;
  /** What was added in this transaction so far; from here on it is the caller's to run or to forget. */
  take(tx: Query): readonly (() => void)[];
}

/** What is to happen when a transaction has become durable. */
export function createEffects(): Effects {
  const waiting = new Map<Query, (() => void)[]>();
  return {
    add(tx, effect) {
      waiting.set(tx, [...(waiting.get(tx) ?? []), effect]);
    },
    take(tx) {
      const effects = waiting.get(tx) ?? [];
      waiting.delete(tx);
      return effects;
    },
  };
}
