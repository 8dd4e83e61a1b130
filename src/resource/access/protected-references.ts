import { sql } from 'kysely';
import { memoizeWeakly } from '../../lib/memoize.ts';
import { inSentence, withArticle } from '../../lib/nouns.ts';
import { type Complaints, Invalid } from '../../lib/problem.ts';
import { capitalized } from '../../lib/spell-out.ts';
import type { Query } from '../../platform/db/database.ts';
import type { Row } from '../fields/field.ts';
import { isRef, type RefField } from '../fields/ref.ts';
import type { Engine, OperationContext, Registry, Resource } from '../resource.ts';

export type NamingField = readonly [Resource, string, RefField];

/** The fields of all resources that refer to objects of this one. */
export function fieldsNaming({ registry }: Engine, { model, family }: Resource): readonly NamingField[] {
  const byModel = fieldsByModel(registry);
  return [model, ...(family ? [family.model] : [])].flatMap((named) => byModel.get(named) ?? []);
}

/** Once per registry: every deletion looks them up, and there are more than a thousand fields. */
const fieldsByModel = memoizeWeakly(({ resources }: Registry): ReadonlyMap<string, readonly NamingField[]> => {
  const fields = resources.flatMap((resource) =>
    Object.entries(resource.allFields).flatMap(([name, field]): NamingField[] =>
      isRef(field) ? [[resource, name, field]] : [],
    ),
  );
  return Map.groupBy(fields, ([, , field]) => field.model);
});

/** Refuses to delete an object without which another would mean something else. */
export async function checkUnprotected({ engine, resource, tx }: OperationContext, pk: string | number): Promise<void> {
  for (const [other, name, field] of fieldsNaming(engine, resource)) {
    if (!field.protects) continue;
    const { rows } = await namingSql(other, name, field, pk).execute(tx);
    if (rows.length > 0) throw Invalid.whole(`${someOf(other)} depends on it: change or delete that first.`);
  }
}

const someOf = ({ names: [singular] }: Resource): string => capitalized(withArticle(singular));

/** To disable it would be the same: it names what uses the object. */
export async function disabledComplaints(
  { engine, resource, call, tx }: OperationContext,
  pk: string | number,
  current: Row,
  values: Row,
): Promise<Complaints | null> {
  if (resource.signsIn !== 'while enabled' || !current.enabled || values.enabled) return null;
  const own = inSentence(resource.names[0]);
  for (const [other, name, field] of fieldsNaming(engine, resource)) {
    if (!field.protects) continue;
    const [row] = (await namingSql(other, name, field, pk).execute(tx)).rows;
    if (!row) continue;
    const stored = await engine.stored(other, call)(call, tx, row.pk);
    const who = (stored && other.nameOf?.(stored)) ?? someOf(other);
    return { enabled: [`${who} depends on this ${own} (“${name}”): choose another ${own} there first.`] };
  }
  return null;
}

/** The other way round: what has to stay is not chosen while it is disabled. */
export async function usesDisabledComplaints(
  { allFields }: Resource,
  values: Row,
  current: Row | null,
  registry: Registry,
  tx: Query,
): Promise<Complaints | null> {
  for (const [name, value] of Object.entries(values)) {
    const field = allFields[name];
    if (!field || !isRef(field) || !field.protects || typeof value !== 'string' || value === current?.[name]) continue;
    const target = registry.require(field.model);
    if (target.signsIn !== 'while enabled') continue;
    const { rows } = await sql`select 1 from ${sql.table(target.table)} where pk = ${value} and not enabled`.execute(
      tx,
    );
    if (rows.length > 0) return { [name]: [`This ${inSentence(target.names[0])} is disabled. Enable it first.`] };
  }
  return null;
}

/** The rows that refer to an object by a field. */
export function namingSql({ table }: Resource, name: string, { storage }: RefField, pk: string | number) {
  const isJoin = storage.in === 'join';
  const [naming, own, column] = isJoin
    ? [storage.join.table, storage.join.own, storage.join.other]
    : [table, 'pk', name];
  return sql<{
    pk: string | number;
  }>`select ${sql.ref(own)} as pk from ${sql.table(naming)} where ${sql.ref(column)} = ${pk}`;
}
