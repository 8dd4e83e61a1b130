import { sql } from 'kysely';
import { visibleOrNone } from '../access/access.ts';
import type { NamingField } from '../access/protected-references.ts';
import type { Call, Reply } from '../call.ts';
import { type Row, readContext } from '../fields/field.ts';
import { isRef, type RefField } from '../fields/ref.ts';
import type { Engine, OperationContext, Resource } from '../resource.ts';
import { nameOf } from '../write/audit.ts';
import { findVisible } from './read.ts';

/** The objects that refer to this one, as far as the caller may see them, and what deleting it does to them. */
export async function usedBy(engine: Engine, resource: Resource, call: Call): Promise<Reply> {
  const { pk, values } = await findVisible({ engine, resource, call, tx: call.db.read }, 'know');
  const uses = await usesOf(engine, resource, [{ pk, kind: values.kind }], call);
  return { status: 200, body: uses.get(pk) ?? [] };
}

/** An object of a resource; in a list of a family with its kind. */
export interface UsedObject {
  readonly pk: string | number;
  readonly kind: unknown;
}

/** The same for several objects of a resource, by their keys: one statement for each field that can refer to them. */
export async function usesOf(
  engine: Engine,
  resource: Resource,
  objects: readonly UsedObject[],
  call: Call,
): Promise<ReadonlyMap<string | number, readonly Row[]>> {
  const uses = new Map<string | number, Row[]>(objects.map(({ pk }) => [pk, []]));
  for (const other of engine.registry.resources) {
    if (other.isAlternate || other.verbs.length === 0 || engine.registry.kinds(other.model).length > 0) continue;
    for (const [name, field] of Object.entries(other.allFields)) {
      if (!isRef(field)) continue;
      const keys = objects.filter(({ kind }) => [resource.model, resource.family?.model, kind].includes(field.model));
      if (keys.length === 0) continue;
      const pks = keys.map(({ pk }) => pk);
      for (const { pks: named, use } of await rowsNaming({ engine, call }, [other, name, field], pks)) {
        for (const pk of named) uses.get(pk)?.push(use);
      }
    }
  }
  return uses;
}

interface NamingRow {
  /** The objects that it refers to. */
  readonly pks: readonly (string | number)[];
  readonly use: Row;
}

async function rowsNaming(
  { engine, call }: Pick<OperationContext, 'engine' | 'call'>,
  [other, name, field]: NamingField,
  pks: readonly (string | number)[],
): Promise<NamingRow[]> {
  const visible = await visibleOrNone(other, call, engine.registry);
  if (visible === 'none') return [];
  const row = other.row();
  const plan = engine.plan(other, call, 'bare');
  const keys = sql.join(pks);
  const naming =
    field.storage.in === 'join'
      ? sql`${row.col('pk')} in (select ${sql.ref(field.storage.join.own)} from ${sql.table(field.storage.join.table)} where ${sql.ref(field.storage.join.other)} in (${keys}))`
      : sql`${row.col(name)} in (${keys})`;
  const { rows } =
    await sql<Row>`select ${plan.list} from ${other.from()} where ${naming}${visible ? sql` and ${visible}` : sql``} limit 1000`.execute(
      call.db.read,
    );
  return rows.map((raw) => {
    const values = plan.load(raw, readContext(call, engine.registry));
    const named = new Set([values[name]].flat().map(String));
    const use = {
      app: other.app,
      model_name: other.modelName,
      // Of a record that shows no key of its own, the one in its address.
      pk: String(other.keyName === null ? values[other.lookup] : raw[other.keyName ?? 'pk']),
      name: nameOf(other, values),
      action: consequenceOf(field),
    };
    return { pks: pks.length === 1 ? pks : pks.filter((pk) => named.has(String(pk))), use };
  });
}

/** What deleting the object does to a row that refers to it. */
function consequenceOf({ protects, storage, nullable }: RefField): string {
  if (protects) return 'protect';
  if (storage.in === 'join') return 'cascade_many';
  return nullable ? 'set_null' : 'cascade';
}
