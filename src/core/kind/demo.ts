import type { Database, Query } from '../../platform/db/database.ts';
import type { InstanceKey } from '../../platform/keys.ts';

/** An object in the API's representation. */
export type DemoObject = Readonly<Record<string, unknown>>;

/** Calls the API as an administrator, in process. */
export interface DemoApi {
  get(path: string): Promise<DemoObject>;
  list(path: string): Promise<readonly DemoObject[]>;
  post(path: string, body: DemoObject): Promise<DemoObject>;
  /**
   * Finds the object in this list whose members equal `identity`, or creates it from `identity` and `values`. `query`
   * is for lists that hide some rows by default.
   */
  ensure(path: string, identity: DemoObject, values?: DemoObject, query?: Record<string, string>): Promise<DemoObject>;
  /** How many objects were created, by list. */
  made(): ReadonlyMap<string, number>;
}

export interface Demo {
  readonly api: DemoApi;
  readonly db: Database;
  readonly key: InstanceKey;
  readonly now: string;
  readonly people: DemoPeople;
  /** For rows that no request creates: runs `store` in a transaction if the table has no row with these values. */
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
