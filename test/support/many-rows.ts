import { type RawBuilder, sql } from 'kysely';
import type { Dialect } from '../../src/platform/db/dialect.ts';

/** A table `n` of the numbers `i` from one to another, in front of a `select`. */
export const numbered = ({ name }: Dialect, from: number, to: number): RawBuilder<unknown> =>
  name === 'sqlite'
    ? sql`with recursive n(i) as (select ${sql.lit(from)} union all select i + 1 from n where i < ${to})`
    : sql`with n(i) as (select * from generate_series(${from}::int, ${to}::int))`;

/** A new key for the row of each number. */
export const newKey = ({ name }: Dialect): RawBuilder<string> =>
  name === 'sqlite' ? sql`printf('%08x-0000-4000-8000-%012x', i, abs(random()) >> 16)` : sql`gen_random_uuid()`;
