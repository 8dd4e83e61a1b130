import { DatabaseBusy } from './unreachable.ts';

/** Keeps statements that wait for the same table from taking up all connections. */
export interface Crowd {
  /** Throws when too many wait for one of these tables already. Returns what is to be called when the statement has ended. */
  enter(tables: ReadonlySet<string>): () => void;
}

/** A statement that takes longer waits for somebody. Disks stall for a second or two: nothing must be refused for that. */
export const isStuckAfterMs = 3_000;

/**
 * Once so many statements are stuck, further ones are refused that touch what all of them touch: somebody holds
 * a lock on it, and whoever does not need it must not wait as well.
 */
export function createCrowd(most: number): Crowd {
  const running = new Set<{ readonly tables: ReadonlySet<string>; readonly since: number }>();

  function contested(): ReadonlySet<string> {
    const latest = performance.now() - isStuckAfterMs;
    const stuck = [...running].filter(({ since }) => since < latest).map(({ tables }) => tables);
    if (stuck.length < most) return new Set();
    return stuck.reduce((common, tables) => common.intersection(tables));
  }

  return {
    enter(tables) {
      if (running.size >= most) {
        const [table] = contested().intersection(tables);
        if (table) throw new DatabaseBusy(`too many statements wait for the table ${table}`);
      }
      const entry = { tables, since: performance.now() };
      running.add(entry);
      return () => void running.delete(entry);
    },
  };
}
