import { type RawBuilder, sql } from 'kysely';
import type { Query } from '../../platform/db/database.ts';
import { firstRow } from '../../platform/db/first-row.ts';
import type { Call } from '../../resource/call.ts';
import { modelFacts } from '../../resource/write/audit.ts';
import { checkMayTouchUser, type Grant } from './delegation.ts';
import type { Holder, HolderKind } from './holder.ts';

export async function checkMayTouch(kind: HolderKind, tx: Query, call: Call, { pk }: Holder): Promise<void> {
  if (kind.column === 'user') await checkMayTouchUser(tx, call, Number(pk));
}

/**
 * Keys of grants on objects do not get there. A client that deletes a global grant by its key must not hit another
 * grant.
 */
export const firstGlobalKey = 1_000_000_000;

/** Gives the permission, if it was not given. The key by which the API calls the grant. */
export async function assignPermission(
  kind: HolderKind,
  tx: Query,
  { pk }: Holder,
  { permission, objectPk }: Grant,
): Promise<number> {
  const holder = sql.ref(kind.column);
  if (objectPk === null) {
    await sql`insert into ${sql.table(kind.globalTable)} (${holder}, permission) values (${pk}, ${permission})
      on conflict do nothing`.execute(tx);
    return firstGlobalKey + (await keyOf(tx, kind.keyTable, sql`(${holder}, permission)`, sql`(${pk}, ${permission})`));
  }
  return keyOf(tx, kind.objectTable, sql`(${holder}, permission, object_pk)`, sql`(${pk}, ${permission}, ${objectPk})`);
}

/** The key of the row with these values, created if missing (upsert). */
async function keyOf(
  tx: Query,
  table: string,
  columns: RawBuilder<unknown>,
  values: RawBuilder<unknown>,
): Promise<number> {
  await sql`insert into ${sql.table(table)} ${columns} values ${values} on conflict do nothing`.execute(tx);
  const { rows } = await sql<{ pk: number }>`select pk from ${sql.table(table)}
    where ${columns} = ${values}`.execute(tx);
  return firstRow(rows).pk;
}

export async function unassignPermission(
  kind: HolderKind,
  tx: Query,
  { pk }: Holder,
  { permission, objectPk }: Grant,
): Promise<void> {
  const table = sql.table(objectPk === null ? kind.globalTable : kind.objectTable);
  const onObject = objectPk === null ? sql`` : sql` and object_pk = ${objectPk}`;
  await sql`delete from ${table} where ${sql.ref(kind.column)} = ${pk} and permission = ${permission}${onObject}`.execute(
    tx,
  );
}

export async function recordChange(
  tx: Query,
  call: Call,
  { resource, pk, values }: Holder,
  change: 'add' | 'remove',
  grants: readonly Grant[],
): Promise<void> {
  const object_pk = grants[0]?.objectPk ?? null;
  const diff = { permissions: { [change]: grants.map(({ name }) => name), ...(object_pk && { object_pk }) } };
  const context = { model: modelFacts(resource, pk, { ...values }), diff };
  await call.world.record(tx, call, { action: 'model_updated', app: resource.app, context });
}
