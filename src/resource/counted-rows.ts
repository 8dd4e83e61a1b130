import type { RawBuilder } from 'kysely';
import type { Dialect } from '../platform/db/dialect.ts';
import type { RowCount } from '../platform/db/scan.ts';

/** Rows that are no longer new are counted in a table, which triggers keep up to date. */
export interface CountTable {
  readonly table: string;
  /** The row of `counted_until` that says how far it is. */
  readonly until: string;
  /** Its columns, besides `count`. */
  readonly by: readonly string[];
  /** The values of those that are no columns of the counted rows. */
  values?(dialect: Dialect): Readonly<Record<string, RawBuilder<unknown>>>;
  /** Which rows are counted; by default all. */
  readonly where?: RawBuilder<unknown>;
  /** The column that says when a row was made. */
  readonly time: string;
}

/** For lists. */
export interface Counted extends CountTable {
  /** Filters that look at the columns of `by` only. */
  readonly filters: readonly string[];
  /** Further counts of the same rows, for figures. */
  readonly also?: readonly CountTable[];
  /** One of these, by `hour` and all columns of `by`: it tells at which hour a page begins, and how many rows a time has. */
  readonly hours?: CountTable;
  /** The filters for rows from a moment on, and for those before one. */
  readonly spanFilters?: readonly [since: string, before: string];
}

/** From one moment to before another. */
export interface Span {
  readonly since: string;
  readonly before: string;
}

/** The header of answers with a count that is an estimate. */
export const estimated = { 'gatehouse-count': 'estimate' } as const;

export interface Counting {
  readonly where: RawBuilder<unknown>;
  /** Whether the condition looks at nothing but the columns that rows are counted by. */
  readonly isCounted: boolean;
}

/** The rows of a list. */
export interface Listed {
  readonly where: RawBuilder<unknown>;
  count(): Promise<RowCount>;
  /** Its conditions, if they look at nothing but the columns that rows are counted by. */
  readonly counted?: readonly RawBuilder<unknown>[];
}
