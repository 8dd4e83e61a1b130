import { sql } from 'kysely';
import { visibleOrNone } from '../access.ts';
import { nameOf } from '../audit.ts';
import type { Call, Reply } from '../call.ts';
import type { Row } from '../fields/field.ts';
import { isRef, type RefField } from '../fields/ref.ts';
import { findVisible } from '../read.ts';
import type { Engine, Resource } from '../resource.ts';

/** The objects that refer to this one, as far as the caller may see them, and what deleting it does to them. */
export async function usedBy(engine: Engine, resource: Resource, call: Call): Promise<Reply> {
  const found = await findVisible(engine, resource, call, call.db.read);
  const models = new Set([resource.model, resource.family?.model, found.values.kind]);
  const users: Row[] = [];
  for (const other of engine.registry.resources) {
    if (other.isAlternate || other.verbs.length === 0 || engine.registry.kinds(other.model).length > 0) continue;
    for (const [name, field] of Object.entries(other.allFields)) {
      if (!isRef(field) || !models.has(field.model)) continue;
      users.push(...(await rowsNaming(engine, other, name, field, found.pk, call)));
    }
  }
  return { status: 200, body: users };
}

async function rowsNaming(
  engine: Engine,
  other: Resource,
  name: string,
  field: RefField,
  pk: string | number,
  call: Call,
): Promise<Row[]> {
  const visible = await visibleOrNone(other, call, engine.registry);
  if (visible === 'none') return [];
  const row = other.row();
  const plan = engine.plan(other, call);
  const naming =
    field.storage.in === 'join'
      ? sql`${row.col('pk')} in (select ${sql.ref(field.storage.join.own)} from ${sql.table(field.storage.join.table)} where ${sql.ref(field.storage.join.other)} = ${pk})`
      : sql`${row.col(name)} = ${pk}`;
  const { rows } =
    await sql<Row>`select ${plan.list} from ${other.from()} where ${naming}${visible ? sql` and ${visible}` : sql``} limit 1000`.execute(
      call.db.read,
    );
  return rows.map((raw) => ({
    app: other.app,
    model_name: other.modelName,
    pk: String(raw[other.keyName ?? 'pk']),
    name: nameOf(other, plan.load(raw, { world: call.world, call, registry: engine.registry })),
    action: field.storage.in === 'join' ? 'cascade_many' : field.nullable && !field.cascades ? 'set_null' : 'cascade',
  }));
}
