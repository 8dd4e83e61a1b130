import type { RawBuilder } from 'kysely';
import type { Complaint } from '../../lib/problem.ts';
import type { ColumnType, Dialect } from '../../platform/db/dialect.ts';
import type { Call, ResourceWorld } from '../call.ts';
import type { JsonSchema } from '../json-schema.ts';

/** A value that was understood, or what is wrong with it. */
export type Parsed<T> = { readonly value: T } | { readonly complaint: Complaint };

export const accept = <T>(value: T): Parsed<T> => ({ value });
export const complain = (...messages: string[]): Parsed<never> => ({ complaint: messages });

/**
 * Options every kind of field takes. `Nullable` is inferred from `nullable`; where only the default is null, it is given:
 * `time<true>({ default: null })`.
 */
export interface Common<T = unknown, Nullable extends boolean = boolean> {
  /** Shown in responses, never taken from a request. */
  readonly readOnly?: boolean;
  /** Taken from a request, never shown. */
  readonly writeOnly?: boolean;
  readonly nullable?: Nullable;
  /** Value on create when the request names none, or a function of the call. A field without one is required. */
  readonly default?: NoInfer<T> | Null<Nullable> | ((call: Call) => NoInfer<T> | Null<Nullable>);
  /** Set by the server on every write. */
  readonly onWrite?: (call: Call) => T;
  readonly required?: boolean;
  /** Offer an exact filter under the field's name. */
  readonly filter?: boolean;
  /** The complaint when another row has this value; presence makes the field unique. */
  readonly unique?: string;
  /** Values that differ only in case count as the same where they must be unique; empty ones do not count. */
  readonly caseless?: boolean;
  /** An absent member of a PUT sets the default instead of keeping what is stored. */
  readonly resetOnPut?: boolean;
  /** One sentence for forms and documents: what it does, when to change it. */
  readonly help?: string;
  /** What forms call it; made of its name unless said otherwise. */
  readonly label?: string;
  /** The heading under which forms show it with others. */
  readonly group?: string;
  /** Whether forms give room for several lines of text. */
  readonly lines?: boolean;
}

/** What forms and documents are told of a field. */
export type FieldNotes = Pick<Common, 'help' | 'label' | 'group'>;

/** What `nullable` adds to the values of a field. */
export type Null<Nullable extends boolean> = true extends Nullable ? null : never;

/**
 * How one kind of value is stored, read from a request, refused, shown, documented, filtered and ordered. What takes a
 * value is a method, so that a field of any type is a `Field<unknown>` too: the engine reads them as such.
 */
export interface Field<T = unknown> extends Common<T> {
  readonly kind: string;
  /** Where the value lives. */
  readonly storage: Storage;
  /** The schema of a value in a response; in a request where it differs. */
  readonly schema: JsonSchema;
  readonly requestSchema?: JsonSchema;
  /** Shows as asterisks in audit events. */
  readonly secret?: boolean;
  /** Whether `ordering` may name it. */
  readonly orderable: boolean;
  parse(value: unknown): Parsed<T>;
  toColumn(value: T, world: ResourceWorld, context: string): unknown;
  /** `nested` values come out of JSON built by the database, others out of a plain column. */
  fromColumn(raw: unknown, world: ResourceWorld, context: string, nested: boolean): T;
}

export type Storage =
  /** `shownAs`: what stands for the column's value when it is shown in another form than it is stored. */
  | { readonly in: 'column'; readonly type: ColumnType; readonly shownAs?: Select }
  | { readonly in: 'join'; readonly join: Join }
  | { readonly in: 'query'; readonly select: Select; readonly json: boolean }
  | { readonly in: 'nested'; readonly nest: Nest }
  | { readonly in: 'nowhere'; readonly derive: Derive | null };

/** A table whose rows name a row of this model and one of another. */
export interface Pairs {
  readonly table: string;
  readonly own: string;
  readonly other: string;
}

export interface Join extends Pairs {
  readonly model: string;
}

/** An SQL expression over the row. */
export type Select = (row: RowAlias, dialect: Dialect) => RawBuilder<unknown>;

/** Objects of another model shown inside this one. */
export interface Nest {
  readonly model: string;
  readonly view: string;
  readonly many: boolean;
  /** Which rows of the other table, given its alias, this row's and the field's name. */
  where(other: RowAlias, row: RowAlias, name: string): RawBuilder<unknown>;
  readonly order?: string;
  /** The table of pairs that names the objects. */
  readonly pairs?: Pairs;
  /** The column that names the one object; what is shown is null when it is. */
  readonly column?: string;
  /** A query parameter (`include_users`) that leaves the objects out when it is false: the member is then null. */
  readonly unless?: string;
}

/** A value made from the others of the row when it is shown. */
export type Derive<R = Row> = (values: R, context: ReadContext) => unknown;

/** The reading of fields whose values are stored as they are shown: the column holds what `toColumn` put there. */
export const asStored = <T>(raw: unknown): T => raw as T;

/** The same of fields stored as JSON; inside of JSON that the database builds they are values already. */
export const fromJson = <T>(raw: unknown, _world: ResourceWorld, _context: string, nested: boolean): T =>
  nested || typeof raw !== 'string' ? (raw as T) : JSON.parse(raw);

export interface ReadContext {
  readonly world: ResourceWorld;
  readonly call: Call;
  readonly registry: ModelNames;
}

/** What a derived member can ask about another model. */
export interface ModelNames {
  find(
    model: string,
  ): { readonly names: readonly [singular: string, plural: string]; readonly component?: string } | undefined;
}

export type Row = Record<string, unknown>;

/** Names the columns of a row wherever they are stored (base table of a family or own table). */
export interface RowAlias {
  readonly alias: string;
  col(name: string): RawBuilder<unknown>;
}

export type Fields = Readonly<Record<string, Field>>;

/** The values of declared fields, as a row has them. */
export type ValuesOf<F extends Fields> = { -readonly [Name in keyof F]: ReturnType<F[Name]['fromColumn']> };

export const isWritable = (field: Field): boolean =>
  !field.readOnly && field.storage.in !== 'query' && field.storage.in !== 'nested';
export const isShown = (field: Field): boolean => !field.writeOnly;

export function isRequired(field: Field): boolean {
  return field.required ?? (field.default === undefined && !field.nullable);
}

export function defaultOf(field: Field, call: Call): unknown {
  if (typeof field.default === 'function') return field.default(call);
  if (field.default !== undefined) return field.default;
  return null;
}

/** The same fields, changed in ways that leave the types of their values alone: hidden, filterable. */
export const mapFields = <F extends Fields>(fields: F, change: (field: Field, name: string) => Field): F =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, change(field, name)])) as F;
