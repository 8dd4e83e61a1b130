import { type RawBuilder, sql } from 'kysely';
import type { RowAlias } from '../fields/field.ts';
import type { Filter } from '../resource.ts';
import { readFlag } from '../write/flags.ts';

/** Matches rows whose column has one of the given texts: `?managed=a&managed=b`. */
export function oneOfFilter(column: string): Filter {
  return {
    schema: { type: 'array', items: { type: 'string' } },
    many: true,
    condition: ({ texts, row }) => sql`${row.col(column)} in (${sql.join(texts)})`,
  };
}

/** True matches the rows for which the condition holds, false the others. */
export function eitherFilter(holds: (row: RowAlias) => RawBuilder<unknown>): Filter {
  return {
    schema: { type: 'boolean' },
    condition({ texts, row }) {
      const value = readFlag(texts[0]);
      if (value === null) return null;
      return value ? holds(row) : sql`not (${holds(row)})`;
    },
  };
}

/** Matches by whether the column is null: `?managed__isnull=true`. */
export const isNullFilter = (column: string): Filter => eitherFilter((row) => sql`${row.col(column)} is null`);

/** Matches rows whose column has one of the texts in a comma-separated list: `?identifier_in=a,b`. */
export function listedFilter(column: string): Filter {
  return {
    schema: { type: 'array', items: { type: 'string' } },
    many: true,
    condition({ texts, row }) {
      const values = texts.flatMap((text) => text.split(',')).map((text) => text.trim());
      return sql`${row.col(column)} in (${sql.join(values)})`;
    },
  };
}

/** Filters by the whole text of an expression, in any case: `name__iexact`. */
export const iexactFilter = (
  name: string,
  textOf: (row: RowAlias) => RawBuilder<unknown>,
): Readonly<Record<string, Filter>> => ({
  [`${name}__iexact`]: {
    schema: { type: 'string' },
    notOnPages: true,
    condition: ({ texts, row }) => sql`lower(${textOf(row)}) = lower(${texts.at(-1) ?? ''})`,
  },
});

/** The same, and by a part of the text: `name__icontains`. */
export const textFilters = (
  name: string,
  textOf: (row: RowAlias) => RawBuilder<unknown>,
): Readonly<Record<string, Filter>> => ({
  ...iexactFilter(name, textOf),
  [`${name}__icontains`]: {
    schema: { type: 'string' },
    notOnPages: true,
    condition: ({ texts, row, dialect }) => dialect.contains(textOf(row), texts.at(-1) ?? ''),
  },
});
