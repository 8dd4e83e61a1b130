import type { RawBuilder } from 'kysely';
import type { Complaints } from '../lib/problem.ts';
import type { Query } from '../platform/db/database.ts';
import type { Dialect } from '../platform/db/dialect.ts';
import type { Actor, Credential } from './actor.ts';
import type { Call } from './call.ts';
import type { Field, Fields, ReadContext, Row, RowAlias, ValuesOf } from './fields/field.ts';
import type { Key } from './fields/ref.ts';
import type { JsonSchema } from './json-schema.ts';
import type { Engine } from './read.ts';
import type { Registry } from './registry.ts';
import type { Resource } from './resource.ts';

export type Verb = 'list' | 'create' | 'retrieve' | 'update' | 'partial_update' | 'destroy' | 'used_by';
export const allVerbs: readonly Verb[] = [
  'list',
  'create',
  'retrieve',
  'update',
  'partial_update',
  'destroy',
  'used_by',
];
export const readVerbs: readonly Verb[] = ['list', 'retrieve', 'used_by'];
export const readAndDeleteVerbs: readonly Verb[] = ['list', 'retrieve', 'destroy', 'used_by'];

export type KeyType = 'uuid' | 'int' | 'text';

/** What all kinds of one family share: a base table whose rows carry the model of their kind in `kind`. */
export interface Family<F extends Fields = Fields> {
  readonly model: string;
  readonly table: string;
  readonly fields: F;
  readonly reaches?: Reach;
}

/**
 * What rows decide beyond themselves. `sign-in`: how people sign in, superusers among them. Whoever writes such rows can
 * end as anybody, so only superusers do, whatever other permissions say.
 */
export type Reach = 'sign-in';

/**
 * The stored values of a resource with these fields, on top of its family's. A new row lacks those that only the database
 * makes until it is stored.
 */
export type StoredRow<F extends Fields, G extends Fields, K extends KeyType> = { pk: Key<K> } & ValuesOf<G> &
  ValuesOf<F>;

/** The key of such a row. */
export type PkOf<R> = R extends { pk: infer Pk extends string | number } ? Pk : string | number;

/**
 * A resource as its author writes it; from it follow routes, validation, documents, permissions and events. Its row `R`
 * follows from the fields. What takes a row is a method, so that the engine can hold resources with all kinds of rows.
 */
export interface Declaration<
  F extends Fields = Fields,
  G extends Fields = Fields,
  K extends KeyType = KeyType,
  R = NoInfer<StoredRow<F, G, K>>,
> {
  /** `/events/rules/`; operation ids follow from it (`events_rules_list`). */
  readonly path: string;
  /** The name of the key in paths (`pbm_uuid`), and the field it is looked up by. */
  readonly param: string;
  readonly lookup?: string;
  readonly key: K;
  /** Under which name the key is shown; null when a field of the resource plays that part. */
  readonly keyName?: string | null;
  /** `svc_events.notificationrule`: names permissions and events. */
  readonly model: string;
  /** The name of its schema in the OpenAPI document. */
  readonly schema: string;
  readonly names: readonly [singular: string, plural: string];
  /** How clients edit it; adds the four descriptive members. */
  readonly component?: string;
  /** One sentence for the list of types. */
  readonly description?: string;
  readonly table: string;
  readonly family?: Family<G>;
  /** The column that makes the row a target of policy bindings. */
  readonly target?: string;
  readonly fields: F;
  /** Members made from the stored ones when a row is shown. */
  readonly derived?: Readonly<Record<string, Derived<R>>>;
  readonly views?: Readonly<Record<string, View>>;
  /** Default order; a minus in front descends, a dot follows a reference. */
  readonly order: readonly string[];
  readonly search?: readonly string[];
  /** Columns of `table` (or of the family's) that have a search index. */
  readonly searchIndex?: readonly string[];
  readonly filters?: Readonly<Record<string, Filter>>;
  readonly verbs?: readonly Verb[];
  readonly visibility?: Visibility;
  /** The family's unless said otherwise. */
  readonly reaches?: Reach | undefined;
  /** What callers may come with who write rows; anything unless said otherwise. */
  readonly writtenWith?: readonly Credential[];
  /** Rules over the whole row, asked when every field is right by itself. */
  check?(input: CheckInput<R>): Promise<Complaints | null> | Complaints | null;
  readonly actions?: readonly Action<R>[];
  /** What the row is called in events and in `used_by`; its `name` by default. */
  nameOf?(row: R): string;
  /** Work after the row is written, in the same transaction. Not for rules: those belong in `check`. */
  afterWrite?(input: AfterWrite<R>): Promise<void>;
  readonly maxPageSize?: number;
  /** Another way to the rows of a model that another resource stands for: for other callers, by other rules. */
  readonly isAlternate?: boolean;
}

export interface Derived<R = Row> {
  readonly schema: JsonSchema;
  /** Whether answers may come without it, where `from` gives nothing. */
  readonly optional?: boolean;
  from(row: R, context: ReadContext): unknown;
}

/** What the kinds of a family declare; `defineStage` and its like add what they share. */
export type KindDeclaration<F extends Fields, G extends Fields, K extends KeyType = 'uuid'> = Pick<
  Declaration<F, G, K>,
  | 'path'
  | 'model'
  | 'schema'
  | 'names'
  | 'component'
  | 'description'
  | 'table'
  | 'fields'
  | 'derived'
  | 'search'
  | 'filters'
  | 'check'
  | 'actions'
  | 'afterWrite'
  | 'reaches'
  | 'views'
>;

/** A part of a resource, shown where another nests it. */
export interface View {
  readonly schema: string;
  readonly fields: readonly string[];
  /** Members that show the same value in every row here, whatever they show elsewhere. */
  readonly fixed?: Readonly<Record<string, unknown>>;
}

export type Visibility =
  /** Rows on which the caller holds `view`, globally or one by one. */
  | { readonly by: 'permission'; readonly always?: (row: RowAlias) => RawBuilder<unknown> }
  /** A superuser sees all, others their own; strangers' rows do not exist for them. */
  | {
      readonly by: 'owner';
      readonly column: string;
      readonly write: OwnerWrite;
      /** Who may create rows: holders of the permission unless said otherwise. */
      readonly create?: 'anyone signed in';
      /** What holds besides; rows for which it does not hold exist for nobody. */
      readonly always?: (row: RowAlias, call: Call) => RawBuilder<unknown>;
    }
  /** A rule of its own: null means every row. */
  | {
      readonly by: 'rule';
      readonly where: (actor: Actor, row: RowAlias, call: Call) => Promise<RawBuilder<unknown> | null>;
    }
  /** Superusers see and write every row; nobody else sees any. */
  | { readonly by: 'superuser' }
  /** Every signed-in caller sees every row. */
  | { readonly by: 'anyone signed in' };

/** `owner`: the owner or a superuser; `only owner`: not even a superuser; `permission`: the verb's permission on top. */
export type OwnerWrite = 'owner' | 'only owner' | 'permission';

export interface CheckInput<R = Row> {
  readonly tx: Query;
  readonly call: Call;
  readonly registry: Registry;
  /** The row as it would be stored. */
  readonly values: R;
  /** The members the request named. */
  readonly given: ReadonlySet<string>;
  /** The row as it is; null on create. */
  readonly current: R | null;
}

export interface AfterWrite<R = Row> extends CheckInput<R> {
  readonly verb: 'create' | 'update' | 'destroy';
  readonly pk: PkOf<R>;
}

export interface Filter {
  readonly schema: JsonSchema;
  /** Whether the parameter may be repeated. */
  readonly many?: boolean;
  condition(input: FilterInput): Promise<FilterResult> | FilterResult;
}

export interface FilterInput {
  readonly texts: readonly string[];
  readonly row: RowAlias;
  readonly dialect: Dialect;
  readonly call: Call;
  readonly registry: Registry;
  readonly resource: Resource;
}

/** A condition, a complaint, or nothing to filter by. */
export type FilterResult = RawBuilder<unknown> | { readonly complaint: string } | null;

/** An operation beside the standard verbs, on one row `R` or on the whole set, with a body of fields `B`. */
export interface Action<R = Row, B extends Fields = Fields, Prepared = unknown> {
  /** The path below the row or the set: `set_password`, `sync/status`. */
  readonly name: string;
  readonly on: 'row' | 'set';
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  /** Replaces the operation id's ending where the reference interface has its own. */
  readonly operation?: string;
  readonly summary: string;
  readonly access: ActionAccess;
  /** Asked for on top of `access`. */
  readonly reaches?: Reach;
  /** What callers may come with; anything unless said otherwise. */
  readonly credentials?: readonly Credential[];
  readonly body?: B;
  /** The name of the body's schema. */
  readonly bodySchema?: string;
  /** A file upload instead of JSON. */
  readonly upload?: boolean;
  readonly query?: Readonly<Record<string, JsonSchema>>;
  readonly answer: Answer;
  /** What takes long or leaves the process, before the transaction: hashing, outgoing calls. */
  prepare?(input: ActionInput<R, B>): Promise<Prepared>;
  run(input: ActionInput<R, B> & { readonly tx: Query; readonly prepared: Prepared }): Promise<unknown>;
}

export interface Answer {
  readonly status: number;
  /** The body's schema; `self` is the resource; none is an empty body. */
  readonly schema?: JsonSchema | 'self';
  readonly schemaName?: string;
  /** The media type it comes in when a caller asks for a file instead, and what it holds unless that is text. */
  readonly file?: string;
  readonly fileSchema?: JsonSchema;
}

/**
 * `visible`: whoever may see the row; `change`: whoever may see and change it (of a family: by the right to its kind);
 * a permission is asked for globally or on the row.
 */
export type ActionAccess =
  | 'anyone'
  | 'authenticated'
  | 'visible'
  | 'change'
  | 'superuser'
  | { readonly permission: string };

export interface ActionInput<R = Row, B extends Fields = Fields> {
  readonly call: Call;
  readonly engine: Engine;
  readonly registry: Registry;
  /** The row with all its columns; empty on a set. */
  readonly row: R;
  readonly values: ValuesOf<B>;
  readonly given: ReadonlySet<string>;
}

/** No fields: the body of what takes none. */
export type NoFields = Readonly<Record<never, Field>>;

/** An action on the whole set; the types of its body and of what it prepares follow from the declaration. */
export const defineAction = <B extends Fields = NoFields, Prepared = unknown>(
  action: Action<unknown, B, Prepared>,
): Action<unknown> => action;

/** An action on a row, of which it reads the members in `R`: `actionOn<{ pk: string }>()({ … })`. */
export const actionOn =
  <R>() =>
  <B extends Fields = NoFields, Prepared = unknown>(action: Action<R, B, Prepared>): Action<R> =>
    action;
