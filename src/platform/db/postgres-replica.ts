import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Query } from './database.ts';
import { isUnreachable } from './unreachable.ts';

/** A standby that streams is behind by a few milliseconds; whoever would wait longer reads from the primary. */
const waitAtMostMs = 100;
const lookEveryMs = 5;
/** After a failure nobody tries the replica for so long. */
const restMs = 5_000;

interface Needs {
  readonly primary: Query;
  readonly replica: Query;
}

/**
 * Runs reads on a replica that has everything that was acknowledged before they came, by whichever instance, and else on the primary:
 * nobody misses what they have just written. Reads may run twice, when the replica fails under them.
 */
export function createReplicaReads({ primary, replica }: Needs) {
  let restUntil = 0;

  /** Writes that are durable are flushed before they are acknowledged. */
  async function hasCaughtUp(): Promise<boolean> {
    const { rows } = await sql<{ position: string }>`select pg_current_wal_flush_lsn()::text as position`.execute(
      primary,
    );
    const position = rows[0]?.position;
    const deadline = performance.now() + waitAtMostMs;
    for (;;) {
      // Once it is promoted, it is no replica of this primary any more.
      const { rows: found } = await sql<{ is_there: boolean }>`select pg_is_in_recovery()
        and pg_last_wal_replay_lsn() >= cast(${position} as pg_lsn) as is_there`.execute(replica);
      if (found[0]?.is_there) return true;
      if (performance.now() > deadline) return false;
      await setTimeout(lookEveryMs);
    }
  }

  return async function readList<T>(work: (query: Query) => Promise<T>): Promise<T> {
    if (performance.now() < restUntil) return work(primary);
    try {
      if (await hasCaughtUp()) return await work(replica);
    } catch (error) {
      if (!isUnreachable(error)) throw error;
    }
    restUntil = performance.now() + restMs;
    return work(primary);
  };
}
