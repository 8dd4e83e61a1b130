import type { RawBuilder } from 'kysely';

export type ColumnType = 'serial' | 'int' | 'big' | 'real' | 'text' | 'bool' | 'time' | 'json' | 'uuid';

export interface NestedColumn {
  readonly alias: string;
  /** Whether the column holds JSON, which must be embedded and not quoted. */
  readonly json: boolean;
}

/** The differences between the two databases. No code outside this folder may ask which one it is. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  /** Its usual name. */
  readonly title: string;
  columnType(type: ColumnType): string;
  /** One row of a subquery as a JSON object, or null. */
  jsonObject(subquery: RawBuilder<unknown>, columns: readonly NestedColumn[]): RawBuilder<unknown>;
  /** All rows of a subquery as a JSON array. */
  jsonArray(subquery: RawBuilder<unknown>, columns: readonly NestedColumn[]): RawBuilder<unknown>;
  /** A one-column subquery as a JSON array of plain values. */
  jsonValues(subquery: RawBuilder<unknown>, column: string): RawBuilder<unknown>;
  /** Case-insensitive "contains", without an index. */
  contains(column: RawBuilder<unknown>, term: string): RawBuilder<boolean>;
  /** The text in small letters, for comparisons whatever the case. */
  folded(text: RawBuilder<unknown>): RawBuilder<string>;
  /**
   * What follows `from` to select the rows `t` of a table that contain all words, by its search index (`searchIndex`);
   * they have three letters or more.
   */
  rowsWithWords(table: string, columns: readonly string[], words: readonly string[]): RawBuilder<unknown>;
  /** Whether a column holds one of these keys, however many they are. */
  isOneOf(
    column: RawBuilder<unknown>,
    keys: readonly (string | number)[],
    type: 'int' | 'uuid' | 'text',
  ): RawBuilder<boolean>;
  /** Converts a text value to a key of this type. */
  keyFromText(value: RawBuilder<unknown>, type: ColumnType): RawBuilder<unknown>;
  toText(value: RawBuilder<unknown>): RawBuilder<string>;
  /** A member of a JSON column as text. */
  jsonText(column: RawBuilder<unknown>, path: readonly string[]): RawBuilder<string | null>;
  /** A member of a JSON column as a number; null if it is none. */
  jsonNumber(column: RawBuilder<unknown>, path: readonly string[]): RawBuilder<number | null>;
  /**
   * Rows with a column `value`, for a `from` clause: the elements of a list in a JSON column, each as JSON; one row for
   * anything else.
   */
  jsonElements(column: RawBuilder<unknown>, path: readonly string[]): RawBuilder<unknown>;
  /** Whether a member of a JSON column equals this JSON value, including its type. */
  jsonEquals(column: RawBuilder<unknown>, path: readonly string[], value: unknown): RawBuilder<boolean>;
  /** The start of the hour, day or month of a timestamp column, as text `YYYY-MM-DDTHH:MM`. */
  timeBucket(column: RawBuilder<unknown>, unit: 'hour' | 'day' | 'month'): RawBuilder<string>;
  /** Appended to a select to lock the row for an update. */
  readonly forUpdate: RawBuilder<unknown>;
  /** A lock by name across the transactions of all instances; null if writers are serialized anyway. */
  exclusive(thing: string): RawBuilder<unknown> | null;
  /** The current time plus an offset, by a clock that all instances share: the database's if there may be several. */
  moment(ofThisHost: string, plusMs?: number): RawBuilder<string>;
  /** Milliseconds from that time to the one in a column. */
  millisecondsUntil(column: RawBuilder<unknown>, ofThisHost: string): RawBuilder<number | null>;
  /** Statements for a trigram index over these columns of a table, and for triggers that maintain it. */
  searchIndex(table: string, columns: readonly string[]): string[];
  /**
   * Statements that say about how many rows of a large table share the values of an index, by the first column, by the
   * first two, and so on. None where the database finds out itself.
   */
  rowsPerValue(table: string, indexes: Readonly<Record<string, readonly number[]>>): string[];
  /** Statements that delete the row of `other` in `column` along with the row that refers to it. */
  dropAlong(table: string, column: string, other: string): string[];
  /** The constraint that a failed write violated, if any. */
  violation(error: unknown): Violation | null;
}

export type Violation =
  | { readonly kind: 'unique'; readonly columns: readonly string[] }
  | { readonly kind: 'reference' }
  /** A value too large for an index. */
  | { readonly kind: 'size' }
  | { readonly kind: 'check' };
