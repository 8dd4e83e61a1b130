import type { RawBuilder } from 'kysely';

export type ColumnType = 'serial' | 'int' | 'big' | 'real' | 'text' | 'bool' | 'time' | 'json' | 'uuid';

export interface NestedColumn {
  readonly alias: string;
  /** Whether the column holds JSON, which must be embedded and not quoted. */
  readonly json: boolean;
}

/** What the two databases say differently. Nothing outside this folder may ask which one it is. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  columnType(type: ColumnType): string;
  /** One row of a subquery as a JSON object, or null. */
  jsonObject(subquery: RawBuilder<unknown>, columns: readonly NestedColumn[]): RawBuilder<unknown>;
  /** All rows of a subquery as a JSON array. */
  jsonArray(subquery: RawBuilder<unknown>, columns: readonly NestedColumn[]): RawBuilder<unknown>;
  /** A one-column subquery as a JSON array of plain values. */
  jsonValues(subquery: RawBuilder<unknown>, column: string): RawBuilder<unknown>;
  /** Case-insensitive "contains", without an index. */
  contains(column: RawBuilder<unknown>, term: string): RawBuilder<boolean>;
  /** Rows of a table whose search index contains the term (three characters or more); see `searchIndex`. */
  indexedContains(table: string, alias: string, columns: readonly string[], term: string): RawBuilder<boolean>;
  /** A text value read as a key of this type. */
  keyFromText(value: RawBuilder<unknown>, type: ColumnType): RawBuilder<unknown>;
  toText(value: RawBuilder<unknown>): RawBuilder<string>;
  /** A member of a JSON column as text. */
  jsonText(column: RawBuilder<unknown>, path: readonly string[]): RawBuilder<string | null>;
  /** A member of a JSON column as a number; null where it is none. */
  jsonNumber(column: RawBuilder<unknown>, path: readonly string[]): RawBuilder<number | null>;
  /**
   * Rows with a column `value`, for a `from` clause: the elements of a list in a JSON column, each as JSON; one row for
   * anything else.
   */
  jsonElements(column: RawBuilder<unknown>, path: readonly string[]): RawBuilder<unknown>;
  /** Whether a member of a JSON column is this JSON value, of this type. */
  jsonEquals(column: RawBuilder<unknown>, path: readonly string[], value: unknown): RawBuilder<boolean>;
  /** The start of the hour, day or month a timestamp column falls into, as text `YYYY-MM-DDTHH:MM`. */
  timeBucket(column: RawBuilder<unknown>, unit: 'hour' | 'day' | 'month'): RawBuilder<string>;
  /** Appended to a select whose row is about to be changed. */
  readonly forUpdate: RawBuilder<unknown>;
  /** Makes transactions of all instances that name the same thing wait for each other; null where writers wait anyway. */
  exclusive(thing: string): RawBuilder<unknown> | null;
  /** This moment, or one so many milliseconds later, by a clock that all instances share: the database's where there may be several. */
  moment(ofThisHost: string, plusMs?: number): RawBuilder<string>;
  /** From that moment until the one in a column. */
  millisecondsUntil(column: RawBuilder<unknown>, ofThisHost: string): RawBuilder<number | null>;
  /** Statements that keep a trigram index over these columns of a table. */
  searchIndex(table: string, columns: readonly string[]): string[];
  /** Where new rows come into that index later and many at once; until then searches look at each of them. */
  readonly lateIndex: LateIndex | null;
  /** Statements that delete a row of `other` when the row that names it in `column` goes. */
  dropAlong(table: string, column: string, other: string): string[];
  /** Which constraint a failed write broke, if it is one. */
  violation(error: unknown): Violation | null;
}

export interface LateIndex {
  /** How many rows are not in the index. */
  behind(table: string): RawBuilder<{ rows: number }>;
  /** Adds those that have waited longest. */
  fill(table: string, columns: readonly string[], limit: number): RawBuilder<unknown>;
}

export type Violation =
  | { readonly kind: 'unique'; readonly columns: readonly string[] }
  | { readonly kind: 'reference' }
  /** A value that does not fit into an index. */
  | { readonly kind: 'size' }
  | { readonly kind: 'check' };
