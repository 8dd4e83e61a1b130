import type { RawBuilder } from 'kysely';
import type { Complaints } from '../lib/problem.ts';
import type { Query } from '../platform/db/database.ts';
import type { Dialect, NestedColumn } from '../platform/db/dialect.ts';
import type { Statement } from '../platform/db/statement.ts';
import type { Credential } from './actor.ts';
import type { Call } from './call.ts';
import type { Fields, ReadContext, Row, RowAlias, ValuesOf } from './fields/field.ts';
import type { JsonSchema } from './json-schema.ts';
import type { PageNote } from './page-note.ts';
import type { KeyType, PkOf, StoredRow } from './stored-row.ts';
import type { Verb } from './verbs/verb.ts';
import type { Visibility } from './visibility.ts';

/**
 * The types of the engine. They refer to each other (a resource's actions get the engine, which reads resources), so they
 * are in one file.
 */

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
  /** What pages show of it, where that does not follow from the fields. */
  readonly page?: PageNote;
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
  | 'page'
>;

/** A part of a resource, shown where another nests it. */
export interface View {
  readonly schema: string;
  readonly fields: readonly string[];
  /** Members that show the same value in every row here, whatever they show elsewhere. */
  readonly fixed?: Readonly<Record<string, unknown>>;
}

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
  /** A file upload instead of JSON; the members of `body`, if any, are parts beside the file. */
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

/** A declaration with everything that follows from it worked out once; `R` is its row. */
export interface Resource<R = Row> extends Declaration<Fields, Fields, KeyType, R> {
  readonly app: string;
  readonly modelName: string;
  readonly operationPrefix: string;
  readonly lookup: string;
  readonly keyName: string | null;
  readonly verbs: readonly Verb[];
  readonly reaches: Reach | undefined;
  /** All fields: the family's, the descriptive ones, its own. */
  readonly allFields: Fields;
  readonly filterTable: Readonly<Record<string, Filter>>;
  /** The table a row begins in; deleting there takes the rest along. */
  readonly rootTable: string;
  permission(verb: 'view' | 'add' | 'change' | 'delete'): string;
  /** The right to see secrets of its objects; a resource that shows none has no use for it. */
  readonly secretPermission: string;
  /** The row under an alias; base columns are found in the base table. */
  row(depth?: number): RowAlias;
  from(depth?: number): RawBuilder<unknown>;
}

/** The row of a resource. */
export type RowOf<T extends Resource> = T extends Resource<infer R> ? R : never;

/** All resources by their models. */
export interface Registry {
  /** All resources, alternates included. */
  readonly resources: readonly Resource[];
  find(model: string): Resource | undefined;
  require(model: string): Resource;
  /** The kinds of a family, by the family's model. */
  kinds(familyModel: string): readonly Resource[];
}

/** Reads rows of resources as callers may see them. */
export interface Engine {
  readonly registry: Registry;
  /** The full view of a resource as this call's actor may see it. */
  plan<R extends Row>(resource: Resource<R>, call: Call): Plan<R>;
  /** A prepared statement for one row; null when this caller's view differs from the usual one. Checks no rights. */
  finder(resource: Resource, call: Call, lock: boolean): Finder | null;
  /** Loads stored rows for the server's own work. Checks no rights. */
  stored<R extends Row>(resource: Resource<R>, call: Call): LoadStored<R>;
  readonly count: CountRows;
}

/** Loads the stored values of a row by its key, hidden ones and decrypted secrets included. Null when there is no such row. */
export type LoadStored<R = Row> = (call: Call, query: Query, pk: string | number) => Promise<R | null>;

/** Counts the rows of a list. */
export type CountRows = (resource: Resource, call: Call, where: RawBuilder<unknown>) => Promise<number>;

/** Finds a row by the value that names it in paths. */
export type Finder = Statement<[name: string | number], Row>;

/** How a view of a resource is selected and turned into what a caller sees. */
export interface Plan<R = Row> {
  readonly columns: readonly PlanColumn[];
  /** The select list, without parameters unless the caller may not see everything. */
  readonly list: RawBuilder<unknown>;
  /** What a caller sees. */
  show(raw: Row, context: ReadContext, nested?: boolean): Row;
  /** Everything that is stored, hidden columns too. */
  load(raw: Row, context: ReadContext): R;
}

export interface PlanColumn extends NestedColumn {
  readonly expression: RawBuilder<unknown>;
}
