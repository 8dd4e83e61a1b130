import { sql } from 'kysely';
import { siteAllowance } from '../../lib/cidr.ts';
import type { Database, Query } from '../db/database.ts';
import { createNetworkLimit } from './rate-limit.ts';
import { createSharedLimit } from './shared-rate-limit.ts';

/** Rows that anonymous calls cause: how many one network may cause in ten minutes, and how many there may be at all. */
export interface AnonymousLimit {
  readonly ofNetwork: number;
  /** For IPv6 /48s, if other than 16 times that of one network. */
  readonly ofSite?: number;
  readonly inAll: number;
  /** Set if a table has several limits. */
  readonly table?: string;
  /** Which rows count; all rows by default. */
  readonly where?: string;
}

/** By table, or by a name of its own where a table has several limits. */
export type AnonymousLimits = Readonly<Record<string, AnonymousLimit>>;

const windowMs = 600_000;
/** The maximum age of a count; rows reserved since are added to it. */
const countedForMs = 60_000;
/** The share of a full table that is evicted at once. */
const evictedShare = 1 / 100;

/** Who causes the row. */
interface Caller {
  readonly actor: unknown;
  readonly request: { readonly method: string; readonly clientIp: string };
}

export interface AnonymousQuota {
  /** Whether an anonymous call may cause one more row of the table. Calls of people and of the server always may. */
  tryReserve(table: string, call: Caller): Promise<boolean>;
  /** If a table is full, evicts the rows that expire first. */
  evictOldest(table: string, tx: Query): Promise<void>;
  /** How many rows there are, by table. */
  counts(): Promise<Readonly<Record<string, number>>>;
  /** How many were refused since the start, by table. */
  refused(): Readonly<Record<string, number>>;
}

export function createAnonymousQuota(db: Database, limits: AnonymousLimits): AnonymousQuota {
  const tables = new Map(
    Object.entries(limits).map(([name, limit]) => [name, watchTable(db, { table: name, ...limit })]),
  );
  function watched(table: string) {
    const found = tables.get(table);
    if (!found) throw new Error(`no limit is declared for what anonymous callers store in ${table}`);
    return found;
  }
  return {
    async tryReserve(table, { actor, request }) {
      if (actor !== null || request.method === 'SYSTEM') return true;
      return watched(table).tryReserve(request.clientIp);
    },
    evictOldest: (table, tx) => watched(table).evictOldest(tx),
    async counts() {
      const counted = [...tables].map(async ([table, { count }]) => [table, await count()] as const);
      return Object.fromEntries(await Promise.all(counted));
    },
    refused: () => Object.fromEntries([...tables].map(([table, { refused }]) => [table, refused()])),
  };
}

function watchTable(
  db: Database,
  { table, ofNetwork, ofSite, inAll, where }: AnonymousLimit & { readonly table: string },
) {
  const byNetwork = createNetworkLimit((allowance) => {
    const max = (allowance === siteAllowance ? ofSite : undefined) ?? ofNetwork * allowance;
    return createSharedLimit({ db, name: `anonymous ${table} ${where}`, max, windowMs });
  });
  let counted = { at: Number.NEGATIVE_INFINITY, rows: 0 };
  let refusals = 0;

  async function count(): Promise<number> {
    const now = performance.now();
    if (now - counted.at < countedForMs) return counted.rows;
    const condition = where === undefined ? sql`` : sql` where ${sql.raw(where)}`;
    // One row too many settles it: a flood must not make each count slower than the last.
    const { rows } = await sql<{ n: number | string }>`select count(*) as n from
      (select 1 from ${sql.table(table)}${condition} limit ${inAll + 1}) as found`.execute(db.read);
    counted = { at: now, rows: Number(rows[0]?.n ?? 0) };
    return counted.rows;
  }

  return {
    count,
    refused: () => refusals,
    async tryReserve(clientIp: string): Promise<boolean> {
      const isGood = byNetwork.waitAfter(clientIp) === 0 && (await count()) < inAll;
      if (isGood) counted.rows += 1;
      else refusals += 1;
      return isGood;
    },
    async evictOldest(tx: Query): Promise<void> {
      if ((await count()) >= inAll) {
        const { rows } = await sql`delete from ${sql.table(table)} where pk in (select pk from ${sql.table(table)}
          order by expires limit ${Math.ceil(inAll * evictedShare)}) returning pk`.execute(tx);
        counted.rows -= rows.length;
      }
      counted.rows += 1;
    },
  };
}
