import { sql } from 'kysely';
import { networkAllowances, networksOf } from '../../lib/cidr.ts';
import type { Query } from '../db/database.ts';
import { statement } from '../db/statement.ts';

const columns = ['network', 'network_56', 'network_48'] as const;

/** The networks that a row counts towards, as hashes: the client's own and, for IPv6, the /56 and /48 around it. */
export type RowOrigin = Readonly<Record<(typeof columns)[number], string | null>>;

export function originOf(ip: string, hash: (network: string) => string): RowOrigin {
  const [network = null, network_56 = null, network_48 = null] = networksOf(ip).map((one) => hash(one.network));
  return { network, network_56, network_48 };
}

export const noOrigin: RowOrigin = { network: null, network_56: null, network_48: null };

/** Evicts the oldest rows of a network that has reached its limit, before another is inserted. */
export function createEvictOldest(
  table: string,
  maxOfNetwork: number,
): (tx: Query, origin: RowOrigin) => Promise<void> {
  const evict = networkAllowances.map((allowance, at) => {
    const column = sql.ref(columns[at] ?? '');
    return statement<[value: string], unknown>(
      (value) => sql`delete from ${sql.table(table)} where pk in (select pk from ${sql.table(table)}
        where ${column} = ${value} order by created desc limit 1000 offset ${sql.lit(maxOfNetwork * allowance - 1)})`,
    );
  });
  return async (tx, origin) => {
    for (const [at, column] of columns.entries()) {
      const value = origin[column];
      // Plans of the previous release contain one network only.
      if (typeof value === 'string') await evict[at]?.(tx, value);
    }
  };
}
