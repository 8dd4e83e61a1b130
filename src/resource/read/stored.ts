import { type RawBuilder, sql } from 'kysely';
import type { Query } from '../../platform/db/database.ts';
import type { Dialect } from '../../platform/db/dialect.ts';
import { statement } from '../../platform/db/statement.ts';
import { sealContext } from '../../platform/keys.ts';
import type { Call } from '../call.ts';
import type { Field, Row } from '../fields/field.ts';
import { joinedKeys } from '../fields/ref.ts';
import type { LoadStored, Resource } from '../resource.ts';
import type { PkOf } from './stored-row.ts';

/** For internal use; checks no permissions. */
export function loadStored(resource: Resource, dialect: Dialect): LoadStored {
  const stored = Object.entries(resource.allFields).flatMap(([name, field]) => {
    const column = columnOf(resource, name, field, dialect);
    return column ? [{ name, field, column }] : [];
  });
  const key = resource.row().col('pk');
  const columns = stored.map(({ name, column }) => sql`${column} as ${sql.ref(name)}`);
  const find = statement<[pk: string | number], Row>(
    (pk) => sql`select ${key} as pk, ${sql.join(columns)} from ${resource.from()} where ${key} = ${pk}`,
  );
  return async ({ world }, query, pk) => {
    const [raw] = await find(query, pk);
    if (!raw) return null;
    const values: Row = { pk: raw.pk };
    for (const { name, field } of stored) {
      values[name] = field.fromColumn(raw[name], world, sealContext(resource.rootTable, name, pk), false);
    }
    return values;
  };
}

/** Selects rows in one statement; calling a result decrypts and reads its row. */
export async function selectStored<R extends Row>(
  resource: Resource<R>,
  where: RawBuilder<unknown>,
  { world }: Call,
  query: Query,
): Promise<(() => R)[]> {
  const row = resource.row();
  const stored = Object.entries(resource.allFields).filter(([, { storage }]) => storage.in === 'column');
  const columns = stored.map(([name]) => sql`${row.col(name)} as ${sql.ref(name)}`);
  const { rows } = await sql<Row>`select ${row.col('pk')} as pk, ${sql.join(columns)} from ${resource.from()}
    where ${where}`.execute(query);
  return rows.map((raw) => () => {
    // The column is the resource's key.
    const pk = raw.pk as PkOf<R>;
    const read = ([name, field]: [string, Field]) =>
      [name, field.fromColumn(raw[name], world, sealContext(resource.rootTable, name, pk), false)] as const;
    // Each column was read by its own field.
    return { pk, ...Object.fromEntries(stored.map(read)) } as unknown as R;
  });
}

function columnOf(resource: Resource, name: string, field: Field, dialect: Dialect): RawBuilder<unknown> | null {
  const row = resource.row();
  if (field.storage.in === 'column') return row.col(name);
  if (field.storage.in !== 'join') return null;
  const { join } = field.storage;
  return dialect.jsonValues(joinedKeys(join, row), join.other);
}
