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
  /** Whether the search index finds a pair of letters; it finds all terms of three letters or more. */
  findsPair(pair: string): boolean;
  /** Rows of a table that contain the term, by its search index; see `searchIndex`. */
  indexedContains(table: string, alias: string, columns: readonly string[], term: string): RawBuilder<boolean>;
  /** Whether a column holds one of these keys, however many they are. */
  isOneOf(
    column: RawBuilder<unknown>,
    keys: readonly (string | number)[],
    type: 'int' | 'uuid' | 'text',
  ): RawBuilder<boolean>;
  /** How a table of millions of rows is scanned without holding up others. */
  readonly scans: Slices | ScanLimits;
  /** A source of rows (such as ranges of time) joined with the rows of a table that meet a condition on each: looked for one by one, so that an index finds them. */
  forEach(source: string, table: string, alias: string, condition: RawBuilder<unknown>): RawBuilder<unknown>;
  /** A left join of the few rows before it with those of a table that meet a condition on each: looked for one by one too. */
  lookUp(table: string, alias: string, condition: RawBuilder<unknown>): RawBuilder<unknown>;
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
  /** Keeps others from writing the table until the transaction ends; fails soon if somebody holds it for long. Nothing where writers are serialized anyway. */
  keepWritersOut(table: string): readonly RawBuilder<unknown>[];
  /** The current time plus an offset, by a clock that all instances share: the database's if there may be several. */
  moment(ofThisHost: string, plusMs?: number): RawBuilder<string>;
  /** Milliseconds from that time to the one in a column. */
  millisecondsUntil(column: RawBuilder<unknown>, ofThisHost: string): RawBuilder<number | null>;
  /** Statements that maintain a trigram index over these columns of a table. */
  searchIndex(table: string, columns: readonly string[]): string[];
  /** Statements that let this index find pairs of letters. */
  pairIndex(table: string, columns: readonly string[]): string[];
  /**
   * Statements for an index of all columns that a search compares, in the order of the first: frequent terms are found without
   * reading rows. None where that gains little.
   */
  comparisonIndex(table: string, columns: readonly string[]): string[];
  /**
   * Statements that say about how many rows of a large table share the values of an index, by the first column, by the
   * first two, and so on. None where the database finds out itself.
   */
  rowsPerValue(table: string, indexes: Readonly<Record<string, readonly number[]>>): string[];
  /**
   * Statements that let lists be ordered by a column that changes far more often than its row: `apart` is a table of keys and
   * this column, kept up to date by triggers. None where changing an indexed column leaves other indexes alone.
   */
  orderApart(table: string, column: string, apart: string): string[];
  /** Rows (as `t`) with the column that `orderApart` made for their order. */
  inOrderApart(from: RawBuilder<unknown>, column: string, apart: string): OrderedRows;
  /** For indexes to which new rows are added later in batches; until then searches scan those rows. */
  readonly lateIndex: LateIndex | null;
  /** Statements that delete the row of `other` in `column` along with the row that refers to it. */
  dropAlong(table: string, column: string, other: string): string[];
  /** The constraint that a failed write violated, if any. */
  violation(error: unknown): Violation | null;
}

/** What to read from, and the column to order by. */
export interface OrderedRows {
  readonly from: RawBuilder<unknown>;
  readonly column: RawBuilder<unknown>;
}

/** Rows by their place in the table. */
export interface Slice {
  readonly after: number;
  readonly upTo: number;
}

/** A scan holds up the whole process, so it is done slice by slice. */
export interface Slices {
  readonly by: 'slices';
  bounds(table: string): RawBuilder<{ first: number | null; last: number | null }>;
  /** The table under an alias, to be read by place and by no index. */
  from(table: string, alias: string): RawBuilder<unknown>;
  within(alias: string, slice: Slice): RawBuilder<boolean>;
  /** The rows of some slices, read by place too. */
  withinAny(table: string, alias: string, slices: readonly Slice[]): RawBuilder<unknown>;
  /** About how many rows the search index finds for a term, up to a limit. */
  found(table: string, columns: readonly string[], term: string, limit: number): RawBuilder<{ count: number }>;
  /** A condition on the row `t`, tried only between the first and the last row that the search index finds for a word: others need not be read. */
  amongFound(
    table: string,
    columns: readonly string[],
    word: string,
    condition: RawBuilder<unknown>,
  ): RawBuilder<unknown>;
}

/** A scan takes one connection, so its time is limited. */
export interface ScanLimits {
  readonly by: 'time';
  /** Limits each statement of a transaction. */
  limit(milliseconds: number): RawBuilder<unknown>;
  /** About so many per cent of a table under an alias. */
  sample(table: string, alias: string, percent: number): RawBuilder<unknown>;
}

export interface LateIndex {
  /** How many rows are not in the index yet. */
  behind(table: string): RawBuilder<{ rows: number }>;
  /** Adds the rows that have waited longest. */
  fill(table: string, columns: readonly string[], limit: number): RawBuilder<unknown>;
}

export type Violation =
  | { readonly kind: 'unique'; readonly columns: readonly string[] }
  | { readonly kind: 'reference' }
  /** A value too large for an index. */
  | { readonly kind: 'size' }
  | { readonly kind: 'check' };
