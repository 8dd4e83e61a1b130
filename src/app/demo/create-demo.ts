import { sql } from 'kysely';
import type { Demo, DemoApi } from '../../core/kind/demo.ts';
import { insertRow } from '../../resource/write/write-row.ts';
import type { App } from '../compose.ts';
import { systemCall } from '../system-call.ts';
import type { World } from '../world.ts';

/** Dependencies of the demo before its users exist. */
export type EmptyDemo = Omit<Demo, 'people'> & {
  /** How many rows `once` has created, by table. */
  stored(): ReadonlyMap<string, number>;
};

export function createDemo({ db, clock, key }: World, { engine, resourceWorld }: App, api: DemoApi): EmptyDemo {
  const now = clock.now();
  const stored = new Map<string, number>();
  return {
    ...{ api, db, key, now },
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
