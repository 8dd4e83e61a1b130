import type { Query } from './database.ts';

export interface Effects {
  add(tx: Query, effect: () => void): void;
  /** Removes and returns the transaction's effects so far; the caller runs or discards them. */
  take(tx: Query): readonly (() => void)[];
}

/** Collects effects to run once a transaction is durable. */
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
