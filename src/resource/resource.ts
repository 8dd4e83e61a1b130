import type { RawBuilder } from 'kysely';
import type { Complaints } from '../lib/problem.ts';
import type { Query } from '../platform/db/database.ts';
import type { Dialect } from '../platform/db/dialect.ts';
import type { Statement } from '../platform/db/statement.ts';
import type { Credential } from './access/actor.ts';
import type { Reach, SignsIn, Whole } from './access/reach.ts';
import type { RecentAuthentication } from './access/recent-authentication.ts';
import type { CorrectRights, NestedPrivacy, RightsInput, Visibility } from './access/visibility.ts';
import type { Answer } from './answer.ts';
import type { Call } from './call.ts';
import type { JsonSchema } from './document/json-schema.ts';
import type { OperationPage, PageMetadata } from './document/ui-metadata/page.ts';
import type { Fields, ReadContext, Row, RowAlias, ValuesOf } from './fields/field.ts';
import type { Plan, PlanView } from './read/row-plan.ts';
import type { KeyType, PkOf, StoredRow } from './read/stored-row.ts';
import type { Verb } from './verb.ts';

/**
 * The types of the engine, in one file because they refer to each other: actions get the engine, which reads resources.
 */

/** What the kinds of a family share: a base table whose rows have the model of their kind in `kind`. */
export interface Family<F extends Fields = Fields> {
  readonly model: string;
  readonly table: string;
  readonly fields: F;
  readonly reaches?: Reach;
  readonly signsIn?: SignsIn;
}

/**
 * A declared resource; routes, validation, documentation, permissions and events follow from it. Its row type `R`
 * follows from the fields. Members that take a row are methods, so that the engine can hold resources with any row
 * type.
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
  /** The name under which the key is shown; null if a field of the resource takes its place. */
  readonly keyName?: string | null;
  /** `svc_events.notificationrule`: the base of permission and event names. */
  readonly model: string;
  /** The name of its schema in the OpenAPI document. */
  readonly schema: string;
  readonly names: readonly [singular: string, plural: string];
  /** What people call it, if that is not `names` in small letters. */
  readonly labels?: readonly [singular: string, plural: string];
  /** The client's edit component; adds the four descriptive members. */
  readonly component?: string;
  /** One sentence for the list of types. */
  readonly description?: string;
  readonly table: string;
  readonly family?: Family<G>;
  /**
   * The column with the key under which policies are bound to the row, and what a new binding takes besides the right
   * to change it.
   */
  readonly target?: string;
  readonly bindingNeeds?: readonly string[];
  readonly fields: F;
  /** Members computed from the stored ones when a row is shown. */
  readonly derived?: Readonly<Record<string, Derived<R>>>;
  readonly views?: Readonly<Record<string, View>>;
  /** Default order; a leading minus descends, a dot follows a reference. */
  readonly order: readonly string[];
  readonly search?: readonly string[];
  /** Whether a search index has all of these, which are then columns of `table` (or of the family's). */
  readonly hasSearchIndex?: boolean;
  readonly filters?: Readonly<Record<string, Filter>>;
  readonly verbs?: readonly Verb[];
  readonly visibility?: Visibility;
  /** By default the family's. */
  readonly reaches?: Reach | undefined;
  /** What of a row stays empty where it is nested in another object and the caller may not view the row itself. */
  readonly nestedPrivacy?: NestedPrivacy;
  readonly signsIn?: SignsIn | undefined;
  /** The objects that rows are parts of, if a reference does not say so (`partOf`). */
  wholesOf?(keys: readonly (string | number)[], registry: Registry, query: Query): Promise<readonly Whole[]>;
  /** Credentials accepted for writes; by default any. */
  readonly writtenWith?: readonly Credential[];
  /** The verbs for which a session must be recently authenticated (`Operation`). */
  readonly recentAuthentication?: Readonly<Partial<Record<Verb, RecentAuthentication>>>;
  /** Rules over the whole row, checked once every field is valid. */
  check?(input: CheckInput<R>): Promise<Complaints | null> | Complaints | null;
  readonly actions?: readonly Action<R>[];
  /** The row's name in events and in `used_by`; by default its `name`. */
  nameOf?(row: R): string;
  /** Work after the row is written, in the same transaction. Not for rules: those belong in `check`. */
  afterWrite?(input: AfterWrite<R>): Promise<void>;
  /** Corrects for pages which rights callers have by permissions alone, where other rules refuse or allow more. */
  rightsOf?(input: RightsInput<Registry>): Promise<CorrectRights>;
  readonly beside?: Beside;
  readonly maxPageSize?: number;
  /** What pages show of it, if that does not follow from the fields. */
  readonly page?: PageMetadata;
  /** A second resource over the rows of another's model: for other callers, under other rules. */
  readonly isAlternate?: boolean;
}

export interface Derived<R = Row> {
  readonly schema: JsonSchema;
  /** Whether responses may omit it, if `from` returns nothing. */
  readonly optional?: boolean;
  from(row: R, context: ReadContext): unknown;
}

/** What a kind of a family declares; `defineStage` and the like add the common parts. */
export type KindDeclaration<F extends Fields, G extends Fields, K extends KeyType = 'uuid'> = Pick<
  Declaration<F, G, K>,
  | 'path'
  | 'model'
  | 'schema'
  | 'names'
  | 'labels'
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
  | 'rightsOf'
  | 'reaches'
  | 'signsIn'
  | 'views'
  | 'page'
>;

/** A subset of a resource's members, for nesting in another. */
export interface View {
  readonly schema: string;
  readonly fields: readonly string[];
  /** Members with a fixed value in this view. */
  readonly fixed?: Readonly<Record<string, unknown>>;
  /** Fields that show a member otherwise in this view; the schema stays that of the resource. */
  readonly instead?: Fields;
}

/** The caller and the database: the input of access checks. */
export interface AccessContext {
  readonly call: Call;
  readonly registry: Registry;
  readonly tx: Query;
}

/** What the parts of one operation on a resource share. */
export interface OperationContext<R extends Row = Row> {
  readonly engine: Engine;
  readonly resource: Resource<R>;
  readonly call: Call;
  readonly tx: Query;
}

export interface CheckInput<R = Row> extends AccessContext {
  /** The row as it would be stored. */
  readonly values: R;
  /** The members that the request contains. */
  readonly given: ReadonlySet<string>;
  /** The stored row; null on create. */
  readonly current: R | null;
  /** Whether a new row repeats one that exists, here or in the file that is imported. */
  readonly isCopy?: boolean;
}

/** Objects of another table that are read and deleted under the same addresses, by keys that rows do not get. */
export interface Beside {
  holds(key: unknown): boolean;
  /** As a row of the resource is selected. Throws if there is none that the caller may see. */
  read(input: BesideInput): Promise<Row>;
  destroy(input: BesideInput): Promise<void>;
}

export interface BesideInput {
  readonly call: Call;
  readonly engine: Engine;
  readonly tx: Query;
  readonly key: unknown;
}

export interface AfterWrite<R = Row> extends CheckInput<R> {
  readonly verb: 'create' | 'update' | 'destroy';
  readonly pk: PkOf<R>;
  /** Whether the row is deleted because it refers to what is deleted. */
  readonly isAlong?: boolean;
}

export interface Filter {
  readonly schema: JsonSchema;
  /** Whether the parameter may be repeated. */
  readonly many?: boolean;
  /** Left out of pages, which have another filter or the search for it. */
  readonly notOnPages?: boolean;
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
  /** Overrides the end of the operation id where the contract has its own. */
  readonly operation?: string;
  readonly page: OperationPage;
  readonly summary: string;
  readonly access: ActionAccess;
  /**
   * Checked in addition to `access`: that the row is not in use where users sign in. Of a set: that the caller is a
   * superuser.
   */
  readonly reaches?: Reach;
  /** Accepted credentials; by default any. */
  readonly credentials?: readonly Credential[];
  /** Whether a session must be recently authenticated (`Operation`). */
  readonly recentAuthentication?: RecentAuthentication;
  readonly body?: B;
  /** The name of the body's schema. */
  readonly bodySchema?: string;
  /** A file upload instead of JSON; the members of `body`, if any, are parts beside the file. */
  readonly upload?: boolean;
  readonly query?: Readonly<Record<string, JsonSchema>>;
  readonly answer: Answer;
  /** Slow work and outgoing calls, before the transaction: hashing, fetching. */
  prepare?(input: ActionInput<R, B>): Promise<Prepared>;
  run(input: ActionInput<R, B> & { readonly tx: Query; readonly prepared: Prepared }): Promise<unknown>;
}

/**
 * `visible`: callers who may view the row; `change`: callers who may view and change it (in a family: by the permission
 * for its kind).
 */
export type ActionAccess =
  | 'anyone'
  | 'authenticated'
  | 'visible'
  | 'change'
  | 'superuser'
  /** Held globally or on the row. */
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

/** A declaration with everything derived from it; `R` is its row type. */
export interface Resource<R = Row> extends Declaration<Fields, Fields, KeyType, R> {
  readonly app: string;
  readonly modelName: string;
  readonly operationPrefix: string;
  readonly lookup: string;
  readonly keyName: string | null;
  readonly verbs: readonly Verb[];
  readonly reaches: Reach | undefined;
  readonly signsIn: SignsIn | undefined;
  /** All fields: the family's, the descriptive ones and its own. */
  readonly allFields: Fields;
  readonly filterTable: Readonly<Record<string, Filter>>;
  /** The root table of a row; deletions there cascade to its other tables. */
  readonly rootTable: string;
  permission(verb: 'view' | 'add' | 'change' | 'delete' | 'use'): string;
  /** The permission to see the secrets of its objects; unused if it shows none. */
  readonly secretPermission: string;
  /** The row under an alias; it resolves columns of the base table too. */
  row(depth?: number): RowAlias;
  from(depth?: number): RawBuilder<unknown>;
}

export type RowOf<T extends Resource> = T extends Resource<infer R> ? R : never;

/** All resources, alternates included. */
export interface Registry {
  readonly resources: readonly Resource[];
  find(model: string): Resource | undefined;
  require(model: string): Resource;
  /** The kinds of a family, by the family's model. */
  kinds(familyModel: string): readonly Resource[];
}

/** What the row in the path is read for: to show it, to know its values, or to write it. */
export type RowUse = 'show' | 'know' | 'write';

/** Reads rows of resources as callers may see them. */
export interface Engine {
  readonly registry: Registry;
  /** A resource as this call's actor may see it. Plans for lists cannot load. */
  plan<R extends Row>(resource: Resource<R>, call: Call, view?: PlanView): Plan<R>;
  /** A prepared statement that reads or locks the row in the path, or reads one by its key; null for special views. */
  finder(resource: Resource, call: Call, use: RowUse | 'key'): Finder | null;
  /** Loads stored rows for internal use. Checks no permissions. */
  stored<R extends Row>(resource: Resource<R>, call: Call): LoadStored<R>;
  /** Runs the reading of a large page, a few at a time: each takes tens of megabytes until it is sent. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * Loads all stored values of a row by its key, including hidden values and decrypted secrets; null if there is none.
 */
export type LoadStored<R = Row> = (call: Call, query: Query, pk: string | number) => Promise<R | null>;

/** Finds a row by its value in the path. */
export type Finder = Statement<[name: string | number], Row>;
