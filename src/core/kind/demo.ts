import type { Database, Query } from '../../platform/db/database.ts';
import type { InstanceKey } from '../../platform/keys.ts';

/** An object as the API shows it. */
export type DemoObject = Readonly<Record<string, unknown>>;

/** The API as an administrator calls it, within the process. */
export interface DemoApi {
  get(path: string): Promise<DemoObject>;
  /** The rows of a list. */
  list(path: string): Promise<readonly DemoObject[]>;
  post(path: string, body: DemoObject): Promise<DemoObject>;
  /**
   * The object of this list whose members are as `identity` says; it is created from both when there is none. `query` is
   * for lists that show all their rows only when asked to.
   */
  ensure(path: string, identity: DemoObject, values?: DemoObject, query?: Record<string, string>): Promise<DemoObject>;
  /** How many objects were created, by list. */
  made(): ReadonlyMap<string, number>;
}

/** What demo objects are made with. */
export interface Demo {
  readonly api: DemoApi;
  readonly db: Database;
  readonly key: InstanceKey;
  readonly now: string;
  readonly people: DemoPeople;
  /**
   * For rows that no request makes: runs `store` in a transaction, but only while the table has no row with these values.
   */
  once(table: string, where: DemoObject, store: (tx: Query) => Promise<unknown>): Promise<void>;
  /** Inserts a row of a resource that no request can create. */
  insert(tx: Query, model: string, values: DemoObject): Promise<unknown>;
}

/** The demo company. */
export interface DemoPeople {
  readonly ada: DemoObject;
  readonly grace: DemoObject;
  readonly company: DemoObject;
  readonly engineering: DemoObject;
  /** The session of Ada's browser. */
  readonly session: string;
}
