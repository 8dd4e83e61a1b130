import { type RawBuilder, sql } from 'kysely';
import type { Query } from '../platform/db/database.ts';
import type { Call } from '../resource/call.ts';
import type { Row, RowAlias } from '../resource/fields/field.ts';
import { isStorable } from '../resource/fields/well-formed.ts';
import type { Resource } from '../resource/resource.ts';
import type { SourceRow } from './source.family.ts';

/** Sources of one kind with all that is stored of them, in the order of their names. One statement; asks nobody's permission. */
export async function loadSources(
  resource: Resource,
  where: (row: RowAlias) => RawBuilder<unknown>,
  call: Call,
  query: Query,
): Promise<SourceRow[]> {
  const row = resource.row();
  const stored = Object.entries(resource.allFields).filter(([, { storage }]) => storage.in === 'column');
  const columns = stored.map(([name]) => sql`${row.col(name)} as ${sql.ref(name)}`);
  const { rows } = await sql<Row>`select ${row.col('pk')} as pk, ${sql.join(columns)} from ${resource.from()}
    where ${where(row)} order by ${row.col('name')}`.execute(query);
  return rows.map((raw) => {
    const values: Row = { pk: raw.pk };
    for (const [name, field] of stored) {
      values[name] = field.fromColumn(raw[name], call.world, `${resource.rootTable}.${name}`, false);
    }
    return values as SourceRow;
  });
}

export async function findSource(resource: Resource, slug: string, call: Call): Promise<SourceRow | null> {
  if (!isStorable(slug)) return null;
  const found = await loadSources(resource, (row) => sql`${row.col('slug')} = ${slug}`, call, call.db.read);
  return found[0] ?? null;
}
