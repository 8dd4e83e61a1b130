import type { RawBuilder } from 'kysely';
import type { RowCount } from '../platform/db/scan.ts';

/** Rows that are no longer new are counted in a table, which triggers keep up to date. */
export interface Counted {
  readonly table: string;
  /** Its columns, besides `count`. */
  readonly by: readonly string[];
  /** Filters that look at these columns only. */
  readonly filters: readonly string[];
  /** The column that says when a row was made. */
  readonly time: string;
}

export interface Counting {
  readonly where: RawBuilder<unknown>;
  /** Whether the condition looks at nothing but the columns that rows are counted by. */
  readonly isCounted: boolean;
}

/** The rows of a list. */
export interface Listed {
  readonly where: RawBuilder<unknown>;
  count(): Promise<RowCount>;
}
