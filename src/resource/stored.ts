import { type RawBuilder, sql } from 'kysely';
import type { Query } from '../platform/db/database.ts';
import type { Dialect } from '../platform/db/dialect.ts';
import { statement } from '../platform/db/statement.ts';
import type { Call } from './call.ts';
import type { Field, Row } from './fields/field.ts';
import type { Resource } from './resource.ts';

/** What is stored of a row, by its key: hidden values too, secrets in clear, and nothing that is only shown. Null when it is gone. */
export type LoadStored = (call: Call, query: Query, pk: string | number) => Promise<Row | null>;

/** For the server's own work: nobody's rights are asked. */
export function loadStored(resource: Resource, dialect: Dialect): LoadStored {
  const stored = Object.entries(resource.allFields).flatMap(([name, field]) => {
    const column = columnOf(resource, name, field, dialect);
    return column ? [{ name, field, column, context: `${resource.rootTable}.${name}` }] : [];
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
    for (const { name, field, context } of stored) values[name] = field.fromColumn(raw[name], world, context, false);
    return values;
  };
}

function columnOf(resource: Resource, name: string, field: Field, dialect: Dialect): RawBuilder<unknown> | null {
  const row = resource.row();
  if (field.storage.in === 'column') return row.col(name);
  if (field.storage.in !== 'join') return null;
  const { table, own, other } = field.storage.join;
  const pairs = sql`select ${sql.ref(other)} from ${sql.table(table)} where ${sql.ref(`${table}.${own}`)} = ${row.col('pk')} order by ${sql.ref(other)}`;
  return dialect.jsonValues(pairs, other);
}
