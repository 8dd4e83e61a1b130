import { sql } from 'kysely';
import { createLruCache } from '../../lib/lru-cache.ts';
import type { Database } from '../db/database.ts';
import {
  type CountsOfOthers,
  createNetworkLimit,
  createRateLimit,
  type Limit,
  type NetworkLimit,
  type RateLimit,
} from './rate-limit.ts';

interface Dependencies {
  readonly db: Database;
  /** Separates these counts from others. */
  readonly name: string;
  readonly windowMs: number;
}

interface CachedCount {
  /** The end of the window, as formatted by the database: a different text means a different window. */
  readonly expires: string;
  readonly endsAt: number;
  readonly own: number;
  readonly others: number;
}

interface Counted {
  readonly pk: string;
  readonly count: number;
  readonly expires: string;
  readonly wait: number;
}

/** One statement for all subjects, whatever the number of requests. */
const flushEveryMs = 1_000;
const maxCached = 5_000;
const maxAtOnce = 1_000;

/** A rate limit that all instances on one database count towards together. */
export const createSharedLimit = ({
  db,
  name,
  ...limit
}: Omit<Limit, 'others'> & Omit<Dependencies, 'windowMs'>): RateLimit =>
  createRateLimit({ ...limit, others: createSharedCounts({ db, name, windowMs: limit.windowMs }) });

/** The same by network. */
export const createSharedNetworkLimit = (limit: Parameters<typeof createSharedLimit>[0]): NetworkLimit =>
  createNetworkLimit((allowance) => createSharedLimit({ ...limit, max: limit.max * allowance }));

/** Counts summed over all instances on one database. Null if there is only one instance. */
function createSharedCounts({ db, name, windowMs }: Dependencies): CountsOfOthers | null {
  if (!db.notify) return null;
  const cache = createLruCache<CachedCount>(maxCached);
  const pending = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;

  async function flush(): Promise<void> {
    timer = undefined;
    // Sorted, or two instances could deadlock.
    const batch = [...pending].sort(([one], [other]) => (one < other ? -1 : 1)).slice(0, maxAtOnce);
    pending.clear();
    const rows = await db.write((tx) => add(batch).execute(tx), { durable: false });
    for (const { pk, count, expires, wait } of rows.rows) {
      const key = pk.slice(name.length + 1);
      const before = cache.get(key);
      const own = (before?.expires === expires ? before.own : 0) + (batch.find(([each]) => each === key)?.[1] ?? 0);
      cache.set(key, { expires, endsAt: performance.now() + wait, own, others: count - own });
    }
  }

  function add(batch: readonly (readonly [string, number])[]) {
    const now = db.dialect.moment('');
    const values = batch.map(
      ([key, count]) => sql`(${`${name} ${key}`}, cast(${count} as integer), ${db.dialect.moment('', windowMs)})`,
    );
    return sql<Counted>`insert into shared_counts as c (pk, count, expires) values ${sql.join(values)}
      on conflict (pk) do update set count = case when c.expires > ${now} then c.count else 0 end + excluded.count,
        expires = case when c.expires > ${now} then c.expires else excluded.expires end
      returning pk, count, expires, ${db.dialect.millisecondsUntil(sql`expires`, '')} as wait`;
  }

  return {
    add(key, by) {
      pending.set(key, (pending.get(key) ?? 0) + by);
      // While the database is unreachable nothing is counted: everything else waits for it too.
      timer ??= setTimeout(() => void flush().catch(() => {}), flushEveryMs);
      timer.unref();
    },
    of(key) {
      const counts = cache.get(key);
      return counts && counts.endsAt > performance.now() ? counts.others : 0;
    },
  };
}
