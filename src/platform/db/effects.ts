import type { Query } from './database.ts';

export interface Effects {
  add(tx: Query, effect: () => void): void;
  /** Runs what was added in this transaction, or forgets it. */
  settle(tx: Query, isCommitted: boolean): void;
}

/** What is to happen when a transaction has become durable. */
export function createEffects(): Effects {
  const waiting = new Map<Query, (() => void)[]>();
  return {
    add(tx, effect) {
      waiting.set(tx, [...(waiting.get(tx) ?? []), effect]);
    },
    settle(tx, isCommitted) {
      const effects = waiting.get(tx) ?? [];
      waiting.delete(tx);
      if (isCommitted) for (const effect of effects) effect();
    },
  };
}
