import { sql } from 'kysely';
import type { Query } from '../../platform/db/database.ts';
import type { Call } from '../../resource/call.ts';
import type { Row } from '../../resource/fields/field.ts';
import type { Engine, Registry } from '../../resource/resource.ts';
import { updateColumns } from '../../resource/write/write.ts';
import { createRow } from '../../resource/write/write-row.ts';
import type { World } from '../world.ts';

/** A set of objects of a fresh install. Runs once per database, so changes by administrators stay. */
export interface BootstrapStep {
  readonly name: string;
  /** Whether `restore-defaults` leaves it alone. */
  readonly isOnce?: boolean;
  /** What takes long, before the transaction. */
  readonly prepare?: (world: World) => Promise<unknown>;
  run(make: Make, prepared: unknown): Promise<void>;
}

export interface Make {
  readonly tx: Query;
  readonly world: World;
  readonly registry: Registry;
  readonly call: Call;
  /**
   * The key of the object of this model whose members are as `identity` says; it is created from both when there is
   * none. The values go through the same validation as a request; `hidden` columns are set past it.
   */
  ensure(model: string, identity: Row, values?: Row, hidden?: Row): Promise<string | number>;
  /** The key of an object that must be there. */
  find(model: string, identity: Row): Promise<string | number>;
}

export function createMake(tx: Query, world: World, engine: Engine, call: Call): Make {
  /** Cache by model and identity: many objects refer to the same flow. */
  const found = new Map<string, string | number>();

  async function findKey(model: string, identity: Row): Promise<string | number | null> {
    const name = nameOf(model, identity);
    const known = found.get(name);
    if (known !== undefined) return known;
    const resource = engine.registry.require(model);
    const row = resource.row();
    const conditions = Object.entries(identity).map(([name, value]) => sql`${row.col(name)} = ${value}`);
    const { rows } = await sql<{ pk: string | number }>`select ${row.col('pk')} as pk from ${resource.from()}
      where ${sql.join(conditions, sql` and `)} limit 1`.execute(tx);
    if (rows[0]) found.set(name, rows[0].pk);
    return rows[0]?.pk ?? null;
  }

  return {
    tx,
    world,
    registry: engine.registry,
    call,
    async ensure(model, identity, values = {}, hidden = {}) {
      const known = await findKey(model, identity);
      if (known !== null) return known;
      const resource = engine.registry.require(model);
      const { pk } = await createRow({ engine, resource, call, tx }, { ...identity, ...values });
      for (const name of Object.keys(hidden)) {
        if (!resource.allFields[name]) throw new Error(`${model} has no field ${name}`);
      }
      await updateColumns(resource, pk, hidden, call, tx);
      found.set(nameOf(model, identity), pk);
      return pk;
    },
    async find(model, identity) {
      const key = await findKey(model, identity);
      if (key === null) throw new Error(`no ${model} with ${JSON.stringify(identity)}`);
      return key;
    },
  };
}

const nameOf = (model: string, identity: Row): string => `${model} ${JSON.stringify(identity)}`;
