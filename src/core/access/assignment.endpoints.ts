import { arrayOf, integerSchema, objectSchema, stringSchema, uuidSchema } from '../../resource/document/json-schema.ts';
import { defineEndpoint, type Endpoint } from '../../resource/endpoint.ts';
import { assignedListEndpoint } from './assigned-list.ts';
import { assignBody, readGrants, unassignBody } from './assignment.ts';
import { checkMayGrant } from './delegation.ts';
import { assignPermission, checkMayTouch, recordChange, unassignPermission } from './grants.ts';
import { findHolder, type HolderKind, rejectInternalAccount, roleHolders, userHolders } from './holder.ts';

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
    answer: { status: 200, schema: arrayOf(objectSchema({ id: stringSchema })), schemaName: 'PermissionAssignResult' },
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

/** Given an object, revokes only the grant on it; without one, only the global grant. Neither implies the other. */
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
