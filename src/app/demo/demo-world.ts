import { sql } from 'kysely';
import type { Query } from '../../platform/db/database.ts';
import { insertRow } from '../../resource/verbs/write-row.ts';
import type { App } from '../compose.ts';
import { systemCall } from '../system-call.ts';
import type { World } from '../world.ts';
import type { DemoApi } from './demo-api.ts';

/** What each part of the demo makes its objects with. */
export interface DemoWorld {
  readonly api: DemoApi;
  readonly world: World;
  readonly now: string;
  /**
   * For rows that no request makes: runs only while the table has none with these values, in one transaction. `store` is
   * the function by which such rows come to be.
   */
  once(table: string, where: Readonly<Record<string, unknown>>, store: (tx: Query) => Promise<unknown>): Promise<void>;
  /** Rows of a resource that have no way of their own into the database yet. */
  insert(tx: Query, model: string, values: Readonly<Record<string, unknown>>): Promise<unknown>;
  /** How many rows `once` has made, by table. */
  stored(): ReadonlyMap<string, number>;
}

export function createDemoWorld(world: World, { engine, resourceWorld }: App, api: DemoApi): DemoWorld {
  const { db, clock } = world;
  const now = clock.now();
  const stored = new Map<string, number>();
  return {
    api,
    world,
    now,
    async once(table, where, store) {
      await db.write(async (tx) => {
        const conditions = Object.entries(where).map(([name, value]) => sql`${sql.ref(name)} = ${value}`);
        const { rows } =
          await sql`select 1 from ${sql.table(table)} where ${sql.join(conditions, sql` and `)} limit 1`.execute(tx);
        if (rows.length > 0) return;
        await store(tx);
        stored.set(table, (stored.get(table) ?? 0) + 1);
      });
    },
    insert: (tx, model, values) =>
      insertRow(engine.registry.require(model), values, systemCall(db, resourceWorld, now), tx),
    stored: () => stored,
  };
}
