import { Problem } from '../../lib/problem.ts';
import type { Query } from '../../platform/db/database.ts';
import { heldAmong } from '../../resource/access/access.ts';
import type { Call } from '../../resource/call.ts';
import type { Registry } from '../../resource/resource.ts';
import { checkMayGrantMembership } from '../access/delegation.ts';

// Membership controls access to applications. Changing it requires a permission on the group, whether the user or the
// group is written.

export const addToGroup = 'svc_core.add_user_to_group';
export const removeFromGroup = 'svc_core.remove_user_from_group';

interface Writing {
  readonly tx: Query;
  readonly call: Call;
  readonly registry: Registry;
}

/** Rejects callers who may not add members to these groups. */
export async function checkMayJoin(writing: Writing, groups: readonly string[]): Promise<void> {
  await checkHolds(addToGroup, writing, groups);
  await checkMayGrantMembership(writing.tx, writing.call, groups);
}

/** Refuses unless the caller may take members from these groups. */
export const checkMayLeave = (writing: Writing, groups: readonly string[]): Promise<void> =>
  checkHolds(removeFromGroup, writing, groups);

async function checkHolds(permission: string, { tx, call, registry }: Writing, keys: readonly string[]): Promise<void> {
  const { actor } = call;
  if (!actor || actor.isSuperuser || keys.length === 0) return;
  const groups = registry.require('svc_core.group');
  const sufficient = [permission, groups.permission('change')];
  const isHeld = await heldAmong(actor, sufficient, groups, keys, tx);
  if (!keys.every((key) => sufficient.some((right) => isHeld(right, key)))) throw Problem.lacks(permission);
}
