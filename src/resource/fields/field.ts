import type { RawBuilder } from 'kysely';
import type { Complaint } from '../../lib/problem.ts';
import type { Words } from '../../lib/texts/message.ts';
import type { ColumnType, Dialect } from '../../platform/db/dialect.ts';
import type { Call, ResourceWorld } from '../call.ts';
import type { JsonPart, JsonSchema, Limits, Proposal, ValueLabels } from '../document/json-schema.ts';

/** A parsed value, or a complaint. */
export type Parsed<T> = { readonly value: T } | { readonly complaint: Complaint };

export const accept = <T>(value: T): Parsed<T> => ({ value });
export const complain = (...messages: Words[]): Parsed<never> => ({ complaint: messages });

/**
 * Options common to all fields. `Nullable` is inferred from `nullable`; if only the default is null, state it:
 * `time<true>({ default: null })`.
 */
export interface Common<T = unknown, Nullable extends boolean = boolean> {
  /** Present in responses, ignored in requests. */
  readonly readOnly?: boolean;
  /** Accepted in requests, absent from responses. */
  readonly writeOnly?: boolean;
  /** Neither shown nor read by derived members, so that lists and nested objects leave the column out. */
  readonly internal?: boolean;
  readonly nullable?: Nullable;
  /** The value on create if the request has none, or a function of the call. A field without a default is required. */
  readonly default?: NoInfer<T> | Null<Nullable> | ((call: Call) => NoInfer<T> | Null<Nullable>);
  /** Set by the server on every write. */
  readonly onWrite?: (call: Call) => T;
  readonly required?: boolean;
  /** Adds an exact filter under the field's name. */
  readonly filter?: boolean;
  /** The complaint if another row has this value; its presence makes the field unique. */
  readonly unique?: string;
  /** Left out where other objects nest this one whole: what they show of it is part of the contract. */
  readonly notNested?: boolean;
  /**
   * A column beside this one that holds a key of the value, such as its folded form. Every write sets it. Its index
   * makes the value unique; the resource's own check says what else may not be equal.
   */
  readonly key?: { readonly column: string; of(value: NoInfer<T>): unknown };
  /** A member absent from a PUT is reset to its default instead of keeping its value. */
  readonly resetOnPut?: boolean;
  /** One sentence for forms and documents: what it does, when to change it. */
  readonly help?: string;
  /** Whether the label says as much: forms leave the help to the documents. */
  readonly isObvious?: boolean;
  /** The label in forms; by default derived from the name. */
  readonly label?: string;
  /** What people call values of a choice, where that does not follow from the value (`spellOut`). */
  readonly labels?: ValueLabels;
  /** The heading of its group in forms. */
  readonly group?: string;
  /** Whether forms use a multi-line input. */
  readonly lines?: boolean;
  /** The parts of free data that forms have fields for. */
  readonly parts?: readonly JsonPart[];
  /** Tells forms what not to offer. What callers may not do, rules of the resource refuse. */
  readonly limits?: Limits;
  /**
   * What forms of new objects begin with: the objects that these filters of their list find. The default stays what it
   * is.
   */
  readonly proposes?: Proposal;
}

export type FieldNotes = Pick<Common, 'help' | 'isObvious' | 'label' | 'group'>;

/** What `nullable` adds to the values of a field. */
export type Null<Nullable extends boolean> = true extends Nullable ? null : never;

/**
 * How one kind of value is stored, parsed, refused, shown, documented, filtered and ordered. Members that take a value
 * are methods, so that every field is also a `Field<unknown>` (method parameters are bivariant).
 */
export interface Field<T = unknown> extends Common<T> {
  readonly kind: string;
  readonly storage: Storage;
  /** The schema of a value in a response, and in a request unless that differs. */
  readonly schema: JsonSchema;
  readonly requestSchema?: JsonSchema;
  /** Masked in audit events. */
  readonly secret?: boolean;
  /** The members that say where a secret is sent. */
  readonly sentTo?: readonly string[];
  /** Holds the address of an image, which may be an upload. */
  readonly holdsImage?: boolean;
  /** Whether `ordering` may name it. */
  readonly orderable: boolean;
  parse(value: unknown): Parsed<T>;
  toColumn(value: T, world: ResourceWorld, context: string): unknown;
  /** `nested` values come from JSON built by the database, others from a plain column. */
  fromColumn(raw: unknown, world: ResourceWorld, context: string, nested: boolean): T;
}

export type Storage =
  /** `shownAs` replaces the column's value in responses. */
  | { readonly in: 'column'; readonly type: ColumnType; readonly shownAs?: Select }
  | { readonly in: 'join'; readonly join: Join }
  | { readonly in: 'query'; readonly select: Select; readonly json: boolean }
  | { readonly in: 'nested'; readonly nest: Nest }
  | { readonly in: 'nowhere'; readonly derive: Derive | null };

/** A join table between rows of this model and of another. */
export interface Pairs {
  readonly table: string;
  readonly own: string;
  readonly other: string;
}

export interface Join extends Pairs {
  readonly model: string;
  /** Whether the table keeps the order in which keys were sent, as `position`. */
  readonly isOrdered: boolean;
}

/** An SQL expression over the row. */
export type Select = (row: RowAlias, dialect: Dialect) => RawBuilder<unknown>;

/** Objects of another model nested in this one. */
export interface Nest {
  readonly model: string;
  readonly view: string;
  readonly many: boolean;
  /** Which rows of the other table, given its alias, this row's alias and the field's name. */
  where(other: RowAlias, row: RowAlias, name: string): RawBuilder<unknown>;
  readonly order?: string;
  /** The join table that links the objects. */
  readonly pairs?: Pairs;
  /** The column that refers to the one object; the member is null if the column is. */
  readonly column?: string;
  /** A query parameter (`include_users`) that omits the objects if it is false: the member is then null. */
  readonly unless?: string;
}

/** A value computed from the row's other members when it is shown. */
export type Derive<R = Row> = (values: R, context: ReadContext) => unknown;

/** Reads fields that are stored as they are shown: the column holds what `toColumn` wrote. */
export const asStored = <T>(raw: unknown): T => raw as T;

/** The same for fields stored as JSON; within JSON built by the database they are already parsed. */
export const fromJson = <T>(raw: unknown, _world: ResourceWorld, _context: string, nested: boolean): T =>
  nested || typeof raw !== 'string' ? (raw as T) : JSON.parse(raw);

export interface ReadContext {
  readonly world: ResourceWorld;
  readonly call: Call;
  readonly registry: ModelNames;
  /** The last JSON text that a member was read from, with its value. Rows share values, so they must not be changed. */
  readonly last: Map<object, { readonly text: string; readonly value: unknown }>;
  /** Long lists of nested objects that were shown beforehand, by the plan that shows them and their text. */
  readonly ahead: Map<object, Map<string, unknown>>;
}

/** For rows that are shown together. */
export const readContext = (call: Call, registry: ModelNames): ReadContext => ({
  world: call.world,
  call,
  registry,
  last: new Map(),
  ahead: new Map(),
});

/** What a derived member can look up about another model. */
export interface ModelNames {
  find(
    model: string,
  ): { readonly names: readonly [singular: string, plural: string]; readonly component?: string } | undefined;
}

export type Row = Record<string, unknown>;

/** The columns of a row, whether in its own table or in the base table of its family. */
export interface RowAlias {
  readonly alias: string;
  col(name: string): RawBuilder<unknown>;
}

export type Fields = Readonly<Record<string, Field>>;

/** The row type of declared fields. */
export type ValuesOf<F extends Fields> = { -readonly [Name in keyof F]: ReturnType<F[Name]['fromColumn']> };

/** For members that only code reads and writes: no request and no response has them. */
export const hidden = { readOnly: true, writeOnly: true } as const;

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

/** Changes fields in ways that keep the types of their values: hidden, filterable. */
export const mapFields = <F extends Fields>(fields: F, change: (field: Field, name: string) => Field): F =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, change(field, name)])) as F;
