import { sql } from 'kysely';
import { Invalid, Problem } from '../../lib/problem.ts';
import type { Query } from '../../platform/db/database.ts';
import { holdsOn } from '../../resource/access.ts';
import { type Call, requireActor } from '../../resource/call.ts';
import { parseKey } from '../../resource/read.ts';
import type { Engine, Resource } from '../../resource/resource.ts';

/** The two that permissions are given to, users and roles, and what differs between them. */
export interface HolderKind {
  readonly model: 'svc_core.user' | 'svc_rbac.role';
  /** How the holder's key is called in paths. */
  readonly param: 'id' | 'uuid';
  /** The column that names the holder in both tables of grants. */
  readonly column: 'user' | 'role';
  readonly path: string;
  readonly operations: string;
  readonly globalTable: string;
  readonly objectTable: string;
  /** What assigning and taking back ask for, on the holder or everywhere. */
  readonly toAssign: readonly string[];
  readonly toUnassign: readonly string[];
}

export const userHolders: HolderKind = {
  model: 'svc_core.user',
  param: 'id',
  column: 'user',
  path: '/rbac/permissions/assigned_by_users/',
  operations: 'rbac_permissions_assigned_by_users',
  globalTable: 'user_permissions',
  objectTable: 'user_object_permissions',
  toAssign: ['svc_core.assign_user_permissions', 'svc_core.add_user'],
  toUnassign: ['svc_core.unassign_user_permissions', 'svc_core.change_user'],
};

export const roleHolders: HolderKind = {
  model: 'svc_rbac.role',
  param: 'uuid',
  column: 'role',
  path: '/rbac/permissions/assigned_by_roles/',
  operations: 'rbac_permissions_assigned_by_roles',
  globalTable: 'role_permissions',
  objectTable: 'role_object_permissions',
  toAssign: ['svc_rbac.assign_role_permissions', 'svc_rbac.add_role'],
  toUnassign: ['svc_rbac.unassign_role_permissions', 'svc_rbac.change_role'],
};

export interface Holder {
  readonly resource: Resource;
  readonly pk: string | number;
  /** As events name it. */
  readonly values: { readonly name: string; readonly username: string };
}

/** The user or role that the path names. Callers without the rights learn nothing of who is there. */
export async function findHolder(
  kind: HolderKind,
  rights: readonly string[],
  call: Call,
  { registry }: Engine,
  tx: Query,
): Promise<Holder> {
  const actor = requireActor(call);
  const resource = registry.require(kind.model);
  const pk = parseKey(resource, call.params[kind.param] ?? '');
  for (const right of rights) {
    const isHeld = pk === null ? actor.holds(right) : await holdsOn(actor, right, resource, pk, tx);
    if (!isHeld) throw new Problem('permission_denied');
  }
  if (pk === null) throw new Problem('not_found');
  const name = kind.column === 'user' ? sql`username, type` : sql`name as username, '' as type`;
  const { rows } = await sql<{ username: string; type: string }>`select ${name} from ${sql.table(resource.table)}
    where pk = ${pk}`.execute(tx);
  const row = rows[0];
  if (!row) throw new Problem('not_found');
  return { resource, pk, values: { name: row.username, username: row.username, ...(row.type && { type: row.type }) } };
}

export function checkIsNoInternalAccount({ values }: Holder, refusal: string): void {
  if ('type' in values && values.type === 'internal_service_account') throw Invalid.whole(refusal);
}
