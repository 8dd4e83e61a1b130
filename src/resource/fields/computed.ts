import { sql } from 'kysely';
import { type JsonSchema, stringSchema, type ValueOf } from '../document/json-schema.ts';
import {
  asStored,
  type Common,
  complain,
  type Derive,
  type Field,
  fromJson,
  type Nest,
  type Pairs,
  type RowAlias,
  type Select,
} from './field.ts';
import type { KeyType, RefField } from './ref.ts';

// Never taken from a request.
const shown = {
  readOnly: true,
  orderable: false,
  parse: () => complain('Read-only.'),
  toColumn: (value: unknown) => value,
} as const;

/** A value that the database computes for each row. Boolean and JSON results are converted by their schema. */
export function computed<S extends JsonSchema>(schema: S, select: Select): Field<ValueOf<S>> {
  const isJson = schema.type === 'array' || schema.type === 'object';
  const isFlag = schema.type === 'boolean';
  return {
    ...shown,
    kind: 'computed',
    schema,
    storage: { in: 'query', select, json: isJson },
    fromColumn(raw, world, context, nested) {
      if (isFlag) return asStored(raw === true || raw === 1);
      return isJson ? fromJson(raw, world, context, nested) : asStored(raw);
    },
  };
}

/** The name of a row that has none of its own, made of the names of others. Hidden: `nameOf` reads it. */
export const madeName = (select: Select): Field<string> => ({
  ...computed(stringSchema, select),
  writeOnly: true,
  internal: true,
});

export const isMadeName = ({ internal, storage }: Field): boolean => internal === true && storage.in === 'query';

/**
 * A value computed from the row's other members when it is shown. Hidden columns that it reads are write-only fields.
 */
export function derivedField(schema: JsonSchema, derive: Derive): Field<undefined> {
  return { ...shown, kind: 'derived', schema, storage: { in: 'nowhere', derive }, fromColumn: asStored };
}

export interface NestedOptions {
  /** A view of the other resource; by default the full one. */
  readonly view?: string;
  /** A query parameter (`include_users`) that makes the member null if it is false, wherever it is nested. */
  readonly unless?: string;
}

/** The object that the reference in `column` points to, or null. */
export function nested(model: string, column: string, options: NestedOptions = {}): Field {
  const where = (other: RowAlias, row: RowAlias) => sql`${other.col('pk')} = ${row.col(column)}`;
  return nest(model, options.view ?? 'full', false, where, { column });
}

/**
 * A reference shown as its object, under the name of its own column. Only the server sets it. `T` is what code reads of
 * that object.
 */
export function embedded<T = unknown>(
  model: string,
  keyType: KeyType,
  { view = 'full', filter = false, nullable = false }: NestedOptions & Pick<Common, 'filter' | 'nullable'>,
): RefField<T> {
  const shownAs = nest<T>(model, view, false, (other, row, name) => sql`${other.col('pk')} = ${row.col(name)}`);
  return { ...shownAs, kind: 'embedded', model, keyType, orderable: true, filter, nullable };
}

/** The objects that a join table links. */
export function nestedMany(model: string, join: Pairs, options: NestedOptions & { readonly order?: string }): Field {
  const where = (other: RowAlias, row: RowAlias) =>
    sql`${other.col('pk')} in (select ${sql.ref(join.other)} from ${sql.table(join.table)} where ${sql.ref(`${join.table}.${join.own}`)} = ${row.col('pk')})`;
  return nest(model, options.view ?? 'full', true, where, { ...options, pairs: join });
}

function nest<T>(
  model: string,
  view: string,
  many: boolean,
  where: Nest['where'],
  more: Pick<Nest, 'order' | 'unless' | 'column' | 'pairs'> = {},
): Field<T> {
  return {
    ...shown,
    kind: 'nested',
    schema: {},
    storage: {
      in: 'nested',
      nest: { ...more, model, view, many, where },
    },
    fromColumn: asStored,
  };
}
