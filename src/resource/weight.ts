import { type RawBuilder, sql } from 'kysely';
import type { Query } from '../platform/db/database.ts';
import { membersOf } from './plan.ts';
import type { Registry, Resource } from './resource.ts';

/** So many nested rows take some 20 ms to read. */
const maxLight = 5_000;

interface Weighing {
  readonly registry: Registry;
  /** The `include_…` parameters that the caller has set to false. */
  readonly without: ReadonlySet<string> | null;
}

/** How many rows of large tables are nested in a row, as members in a group; null where there cannot be any. */
export function weightOf(
  resource: Resource,
  { registry, without }: Weighing,
  view = 'listed',
  depth = 0,
): RawBuilder<unknown> | null {
  const row = resource.row(depth);
  const weights = membersOf(resource, view).flatMap(([name, { storage }]) => {
    if (storage.in !== 'nested') return [];
    const { model, view: nestedView, many, pairs, unless, where } = storage.nest;
    if (unless && without?.has(unless)) return [];
    const target = registry.require(model);
    if (many && pairs && target.counted)
      return [
        sql`(select count(*) from (select 1 from ${sql.table(pairs.table)}
          where ${sql.ref(`${pairs.table}.${pairs.own}`)} = ${row.col('pk')} limit ${sql.lit(maxLight + 1)}) as n)`,
      ];
    const inner = weightOf(target, { registry, without }, nestedView === 'full' ? 'listed' : nestedView, depth + 1);
    return inner
      ? [
          sql`(select coalesce(sum(${inner}), 0) from ${target.from(depth + 1)} where ${where(target.row(depth + 1), row, name)})`,
        ]
      : [];
  });
  return weights.length > 0 ? sql.join(weights, sql` + `) : null;
}

/** Whether rows nest few others altogether. `where` is null if they are not known. */
export async function areLight(
  read: Query,
  resource: Resource,
  weighing: Weighing,
  where: () => RawBuilder<unknown> | null,
): Promise<boolean> {
  const weight = weightOf(resource, weighing);
  if (!weight) return true;
  const condition = where();
  if (!condition) return false;
  const query = sql<{ rows: number | null }>`select sum(${weight}) as rows from ${resource.from()} where ${condition}`;
  const { rows } = await query.execute(read);
  return Number(rows[0]?.rows) <= maxLight;
}
