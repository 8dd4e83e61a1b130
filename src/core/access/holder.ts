import { sql } from 'kysely';
import { Invalid, Problem } from '../../lib/problem.ts';
import type { Query } from '../../platform/db/database.ts';
import { holdsOn } from '../../resource/access/access.ts';
import { type Call, requireActor } from '../../resource/call.ts';
import { parseKey } from '../../resource/read/read.ts';
import type { Engine, Resource } from '../../resource/resource.ts';

/** Permissions are given to users and roles; this is what differs between them. */
export interface HolderKind {
  readonly model: 'svc_core.user' | 'svc_rbac.role';
  /** The path parameter with the holder's key. */
  readonly param: 'id' | 'uuid';
  /** The column for the holder in both tables of grants. */
  readonly column: 'user' | 'role';
  readonly path: string;
  readonly operations: string;
  readonly globalTable: string;
  /** The keys of global grants. */
  readonly keyTable: string;
  readonly objectTable: string;
  /** The permissions needed to assign and revoke, on the holder or globally. */
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
  keyTable: 'user_permission_keys',
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
  keyTable: 'role_permission_keys',
  objectTable: 'role_object_permissions',
  toAssign: ['svc_rbac.assign_role_permissions', 'svc_rbac.add_role'],
  toUnassign: ['svc_rbac.unassign_role_permissions', 'svc_rbac.change_role'],
};

export interface Holder {
  readonly resource: Resource;
  readonly pk: string | number;
  /** Its name in events. */
  readonly values: { readonly name: string; readonly username: string };
}

/** The user or role in the path. Callers without the permission do not learn who exists. */
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
    if (!isHeld) throw Problem.lacks(right);
  }
  if (pk === null) throw new Problem('not_found');
  const name = kind.column === 'user' ? sql`username, type` : sql`name as username, '' as type`;
  const { rows } = await sql<{ username: string; type: string }>`select ${name} from ${sql.table(resource.table)}
    where pk = ${pk}`.execute(tx);
  const row = rows[0];
  if (!row) throw new Problem('not_found');
  return { resource, pk, values: { name: row.username, username: row.username, ...(row.type && { type: row.type }) } };
}

export function rejectInternalAccount({ values }: Holder, refusal: string): void {
  if ('type' in values && values.type === 'internal_service_account') throw Invalid.whole(refusal);
}
