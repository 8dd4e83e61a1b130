import { sql } from 'kysely';
import type { Query } from '../../platform/db/database.ts';
import { firstRow } from '../../platform/db/first-row.ts';
import { modelFacts } from '../../resource/audit.ts';
import type { Call } from '../../resource/call.ts';
import { defineEndpoint, type Endpoint } from '../../resource/endpoint.ts';
import { arrayOf, integerSchema, objectSchema, stringSchema, uuidSchema } from '../../resource/json-schema.ts';
import { assignedListEndpoint } from './assigned-list.ts';
import { assignBody, readGrants, unassignBody } from './assignment.ts';
import { checkMayGrant, checkMayTouchUser, type Grant } from './delegation.ts';
import { findHolder, type Holder, type HolderKind, rejectInternalAccount, roleHolders, userHolders } from './holder.ts';

export const assignmentEndpoints: readonly Endpoint[] = [userHolders, roleHolders].flatMap((kind) => [
  assignedListEndpoint(kind),
  assignEndpoint(kind),
  unassignEndpoint(kind),
]);

function assignEndpoint(kind: HolderKind): Endpoint {
  return defineEndpoint({
    id: `${kind.operations}_assign`,
    method: 'POST',
    path: `${kind.path}{${kind.param}}/assign/`,
    params: { [kind.param]: kind.param === 'id' ? integerSchema : uuidSchema },
    page: { noButton: 'The page of a role writes grants.' },
    summary: `Assign permissions to a ${kind.column}`,
    access: ({ call, engine }) => findHolder(kind, kind.toAssign, call, engine, call.db.read),
    body: assignBody,
    bodySchema: 'PermissionAssignRequest',
    answer: { status: 200, schema: arrayOf(objectSchema({ id: stringSchema })) },
    async run({ tx, call, engine, values }) {
      const holder = await findHolder(kind, kind.toAssign, call, engine, tx);
      rejectInternalAccount(holder, 'Permissions cannot be assigned to an internal service account.');
      await checkMayTouch(kind, tx, call, holder);
      const grants = await readGrants(tx, engine.registry, values);
      for (const grant of grants) await checkMayGrant(tx, call, grant);
      const ids: number[] = [];
      for (const grant of grants) ids.push(await assignPermission(kind, tx, holder, grant));
      await recordChange(tx, call, holder, 'add', grants);
      return ids.map((id) => ({ id: String(id) }));
    },
  });
}

/** E5. Given an object, revokes only the grant on it; without one, only the global grant. Neither implies the other. */
function unassignEndpoint(kind: HolderKind): Endpoint {
  return defineEndpoint({
    id: `${kind.operations}_unassign_partial_update`,
    method: 'PATCH',
    path: `${kind.path}{${kind.param}}/unassign/`,
    params: { [kind.param]: kind.param === 'id' ? integerSchema : uuidSchema },
    page: { noButton: 'The page of a role writes grants.' },
    summary: `Take permissions from a ${kind.column}`,
    access: ({ call, engine }) => findHolder(kind, kind.toUnassign, call, engine, call.db.read),
    body: unassignBody,
    bodySchema: 'PatchedPermissionAssignRequest',
    answer: { status: 204 },
    async run({ tx, call, engine, values }) {
      const holder = await findHolder(kind, kind.toUnassign, call, engine, tx);
      rejectInternalAccount(holder, 'Permissions cannot be unassigned from an internal service account.');
      await checkMayTouch(kind, tx, call, holder);
      const grants = await readGrants(tx, engine.registry, values);
      for (const grant of grants) await unassignPermission(kind, tx, holder, grant);
      await recordChange(tx, call, holder, 'remove', grants);
    },
  });
}

async function checkMayTouch(kind: HolderKind, tx: Query, call: Call, { pk }: Holder): Promise<void> {
  if (kind.column === 'user') await checkMayTouchUser(tx, call, Number(pk));
}

/** Beyond all keys of grants on objects, or a client that deletes a global grant by its key would delete another grant. */
const firstGlobalKey = 1_000_000_000;

/** Returns the key of the grant on an object, or one that no such grant has for a global grant. */
async function assignPermission(
  kind: HolderKind,
  tx: Query,
  { pk }: Holder,
  { permission, objectPk }: Grant,
): Promise<number> {
  const holder = sql.ref(kind.column);
  if (objectPk === null) {
    await sql`insert into ${sql.table(kind.globalTable)} (${holder}, permission) values (${pk}, ${permission})
      on conflict do nothing`.execute(tx);
    return firstGlobalKey + permission;
  }
  const table = sql.table(kind.objectTable);
  await sql`insert into ${table} (${holder}, permission, object_pk) values (${pk}, ${permission}, ${objectPk})
    on conflict do nothing`.execute(tx);
  const { rows } = await sql<{ pk: number }>`select pk from ${table} where ${holder} = ${pk}
    and permission = ${permission} and object_pk = ${objectPk}`.execute(tx);
  return firstRow(rows).pk;
}

async function unassignPermission(
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

async function recordChange(
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
