import { type RawBuilder, sql } from 'kysely';
import type { Query } from '../platform/db/database.ts';
import { nullIfUnreadable } from '../platform/keys.ts';
import type { Call } from '../resource/call.ts';
import type { RowAlias } from '../resource/fields/field.ts';
import { isStorable } from '../resource/fields/well-formed.ts';
import { selectStored } from '../resource/read/stored.ts';
import type { Resource } from '../resource/resource.ts';
import type { SourceRow } from './source.family.ts';

/** Sources of one kind with all stored values, by name. One statement; checks no permissions. */
export async function loadSources<R extends SourceRow>(
  resource: Resource<R>,
  where: (row: RowAlias) => RawBuilder<unknown>,
  call: Call,
  query: Query,
): Promise<R[]> {
  const row = resource.row();
  const rows = await selectStored(resource, sql`${where(row)} order by ${row.col('name')}`, call, query);
  // A source whose secret cannot be opened must not take the others off the sign-in page.
  return rows.flatMap((read) => nullIfUnreadable(read) ?? []);
}

export async function findSource<R extends SourceRow>(
  resource: Resource<R>,
  slug: string,
  call: Call,
): Promise<R | null> {
  if (!isStorable(slug)) return null;
  const found = await loadSources(resource, (row) => sql`${row.col('slug')} = ${slug}`, call, call.db.read);
  return found[0] ?? null;
}
