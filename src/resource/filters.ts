import { type RawBuilder, sql } from 'kysely';
import type { Filter } from './define.ts';
import type { RowAlias } from './fields/field.ts';

/** Rows whose column has one of the texts given: `?managed=a&managed=b`. */
export function oneOfFilter(column: string): Filter {
  return {
    schema: { type: 'array', items: { type: 'string' } },
    many: true,
    condition: ({ texts, row }) => sql`${row.col(column)} in (${sql.join(texts)})`,
  };
}

/** True keeps the rows for which the condition holds, false the others. What is neither is no filter. */
export function eitherFilter(holds: (row: RowAlias) => RawBuilder<unknown>): Filter {
  return {
    schema: { type: 'boolean' },
    condition({ texts, row }) {
      const text = texts.at(-1) ?? '';
      if (/^(true|1)$/i.test(text)) return holds(row);
      return /^(false|0)$/i.test(text) ? sql`not (${holds(row)})` : null;
    },
  };
}

/** Whether the column is empty: `?managed__isnull=true`. */
export const isNullFilter = (column: string): Filter => eitherFilter((row) => sql`${row.col(column)} is null`);

/** Rows whose column has one of the texts of a list with commas: `?identifier_in=a,b`. */
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
