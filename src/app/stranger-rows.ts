import { sql } from 'kysely';
import { networkOf } from '../lib/cidr.ts';
import { createRateLimit } from '../lib/rate-limit.ts';
import type { Database } from '../platform/db/database.ts';
import type { Call } from '../resource/call.ts';

/** Rows that anonymous calls cause: how many one network may cause in ten minutes, and how many there may be at all. */
export interface StrangerLimit {
  readonly ofNetwork: number;
  readonly inAll: number;
  /** Which rows count; all of the table unless said otherwise. */
  readonly where?: string;
}

export const strangerLimits: Readonly<Record<string, StrangerLimit>> = {
  // Walks of one network are bounded where they are stored: the oldest make room.
  flow_plans: { ofNetwork: Number.POSITIVE_INFINITY, inAll: 100_000 },
  oauth2_requests: { ofNetwork: 300, inAll: 50_000 },
  events: { ofNetwork: 1_000, inAll: 500_000, where: 'user_pk is null' },
};

const windowMs = 600_000;
/** How old a count may be; what was admitted since is added to it. */
const countedForMs = 60_000;

export interface StrangerRows {
  /** Whether an anonymous call may cause one more row of the table. Calls of people and of the server always may. */
  admit(table: string, call: Pick<Call, 'actor' | 'request'>): Promise<boolean>;
  /** How many rows there are, by table. */
  counts(): Promise<Readonly<Record<string, number>>>;
  /** How many were refused since the start, by table. */
  refused(): Readonly<Record<string, number>>;
}

export function createStrangerRows(
  db: Pick<Database, 'read'>,
  limits: Readonly<Record<string, StrangerLimit>> = strangerLimits,
): StrangerRows {
  const tables = new Map(Object.entries(limits).map(([table, limit]) => [table, watchTable(db, table, limit)]));
  return {
    async admit(table, { actor, request }) {
      if (actor !== null || request.method === 'SYSTEM') return true;
      const watched = tables.get(table);
      if (!watched) throw new Error(`no limit is declared for what strangers store in ${table}`);
      return watched.admit(networkOf(request.clientIp));
    },
    async counts() {
      const counted = [...tables].map(async ([table, { count }]) => [table, await count()] as const);
      return Object.fromEntries(await Promise.all(counted));
    },
    refused: () => Object.fromEntries([...tables].map(([table, { refused }]) => [table, refused()])),
  };
}

function watchTable(db: Pick<Database, 'read'>, table: string, { ofNetwork, inAll, where }: StrangerLimit) {
  const byNetwork = createRateLimit({ most: ofNetwork, windowMs });
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
    async admit(network: string): Promise<boolean> {
      const isGood = byNetwork.waitAfter(network) === 0 && (await count()) < inAll;
      if (isGood) counted.rows += 1;
      else refusals += 1;
      return isGood;
    },
  };
}
