import { sql } from 'kysely';
import { createLruCache } from '../lib/lru-cache.ts';
import type { CountsOfOthers } from '../lib/rate-limit.ts';
import type { Database } from './db/database.ts';

interface Needs {
  readonly db: Database;
  /** Sets these counts apart from others. */
  readonly name: string;
  readonly windowMs: number;
}

interface KnownCount {
  /** When the window ends, as the database tells it: another text is another window. */
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

/** One statement for all subjects, however many requests there are. */
const tellEveryMs = 1_000;
const maxCached = 5_000;
const maxAtOnce = 1_000;

/** Counts that all instances on one database add up. Null where there is one instance. */
export function createSharedCounts({ db, name, windowMs }: Needs): CountsOfOthers | null {
  if (!db.notify) return null;
  const known = createLruCache<KnownCount>(maxCached);
  const untold = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;

  async function tell(): Promise<void> {
    timer = undefined;
    // In one order, or two instances could wait for each other.
    const told = [...untold].sort(([one], [other]) => (one < other ? -1 : 1)).slice(0, maxAtOnce);
    untold.clear();
    const rows = await db.write((tx) => add(told).execute(tx), { durable: false });
    for (const { pk, count, expires, wait } of rows.rows) {
      const key = pk.slice(name.length + 1);
      const before = known.get(key);
      const own = (before?.expires === expires ? before.own : 0) + (told.find(([each]) => each === key)?.[1] ?? 0);
      known.set(key, { expires, endsAt: performance.now() + wait, own, others: count - own });
    }
  }

  function add(told: readonly (readonly [string, number])[]) {
    const now = db.dialect.moment('');
    const values = told.map(
      ([key, count]) => sql`(${`${name} ${key}`}, cast(${count} as integer), ${db.dialect.moment('', windowMs)})`,
    );
    return sql<Counted>`insert into shared_counts as c (pk, count, expires) values ${sql.join(values)}
      on conflict (pk) do update set count = case when c.expires > ${now} then c.count else 0 end + excluded.count,
        expires = case when c.expires > ${now} then c.expires else excluded.expires end
      returning pk, count, expires, ${db.dialect.millisecondsUntil(sql`expires`, '')} as wait`;
  }

  return {
    add(key, by) {
      untold.set(key, (untold.get(key) ?? 0) + by);
      // A database that is away counts nothing: everything else waits for it too.
      timer ??= setTimeout(() => void tell().catch(() => {}), tellEveryMs);
      timer.unref();
    },
    of(key) {
      const counts = known.get(key);
      return counts && counts.endsAt > performance.now() ? counts.others : 0;
    },
  };
}
