import { sql } from 'kysely';
import { type Complaints, Problem } from '../../lib/problem.ts';
import type { Query } from '../../platform/db/database.ts';
import type { CorrectRights, RightsInput } from '../../resource/access/visibility.ts';
import type { Call } from '../../resource/call.ts';
import type { AfterWrite, CheckInput } from '../../resource/resource.ts';
import {
  checkMayGrantMembership,
  checkMayGrantRoles,
  findUnreachableGroups,
  giveRight,
  grantsSuperuser,
} from '../access/delegation.ts';
import { checkSuperuserLeft } from '../access/last-superuser.ts';
import { groupsAboveSql } from '../access/rights-sql.ts';
import { addToGroup, checkMayJoin, checkMayLeave } from './membership.ts';

type Group = {
  pk: string;
  is_superuser: boolean;
  parent: string | null;
  roles: readonly string[];
  users: readonly number[];
};

/** Groups form a tree without cycles, and grant no permissions that the caller does not hold. */
export async function checkGroup(input: CheckInput<Group>): Promise<Complaints | null> {
  const { tx, call, values, current } = input;
  const { exclusive } = call.db.dialect;
  const { parent } = values;
  const key = current?.pk;
  if (key && parent === key) return { parent: ['Cannot set group as parent of itself.'] };
  if (key && parent && parent !== current?.parent) {
    await exclusive('parents of groups')?.execute(tx);
    if (await isBelow(tx, parent, key)) return { parent: ['Cannot set a group below this one as its parent.'] };
  }
  const roles = onlyIn(values.roles, current?.roles);
  if (roles.length > 0) {
    await exclusive('roles of groups')?.execute(tx);
    if (await areTaken(tx, roles, key)) return { non_field_errors: ['Roles can only be used with a single group.'] };
  }
  await checkDelegation(input, roles);
  return null;
}

async function checkDelegation(input: CheckInput<Group>, newRoles: readonly string[]): Promise<void> {
  const { tx, call, values, current } = input;
  const { actor } = call;
  if (!actor || actor.isSuperuser) return;
  const key = current?.pk;
  if (values.is_superuser)
    throw new Problem('permission_denied', 'Only superusers may make a group one of superusers.');
  if (key) await checkMayTouchGroup(tx, call, key);
  // Members of a group are members of those above it.
  const [before = null, after] = [current?.parent, values.parent];
  if (before !== after) {
    if (after !== null) await checkMayJoin(input, [after]);
    if (before !== null) await checkMayLeave(input, [before]);
  }
  await checkMayGrantRoles(tx, call, newRoles);
  // The parent and the roles of a new group were checked above.
  if (key && onlyIn(values.users, current?.users).length > 0) await checkMayGrantMembership(tx, call, [key]);
}

/** Only superusers change a superuser group. */
export async function checkMayTouchGroup(tx: Query, call: Call, group: string): Promise<void> {
  if (!call.actor || call.actor.isSuperuser) return;
  if (await grantsSuperuser(tx, [group]))
    throw new Problem('permission_denied', 'Only superusers may change a group of superusers.');
}

export async function afterGroupWrite({ tx, call, verb, pk, values, current }: AfterWrite<Group>): Promise<void> {
  if (verb === 'destroy') await checkMayTouchGroup(tx, call, pk);
  if (!current || (verb !== 'destroy' && !isWeaker(current, values))) return;
  if (!(await grantedSuperuser(tx, current))) return;
  await checkSuperuserLeft(tx, call, verb === 'destroy' ? { group: pk } : {});
}

/** What the rules above leave of rights by permission. */
export async function groupRights({ actor, keys, query }: RightsInput): Promise<CorrectRights> {
  const { superusers, stronger } = await findUnreachableGroups(query, actor, keys.map(String));
  return (key, may) => {
    if (superusers.has(key)) return { may: [] };
    if (stronger.has(key)) return { may: may.filter((right) => right !== addToGroup), fixed: ['users'] };
    return { may: may.includes('change') || may.includes(addToGroup) ? [...may, giveRight] : may };
  };
}

/** Whether members may have lost something by the change. */
const isWeaker = (before: Group, after: Group): boolean =>
  before.is_superuser !== after.is_superuser ||
  before.parent !== after.parent ||
  onlyIn(before.users, after.users).length > 0;

async function grantedSuperuser(tx: Query, { is_superuser, parent }: Group): Promise<boolean> {
  return is_superuser || (parent !== null && grantsSuperuser(tx, [parent]));
}

function onlyIn<Key>(keys: readonly Key[], others: readonly Key[] | undefined): Key[] {
  const known = new Set(others);
  return keys.filter((key) => !known.has(key));
}

async function isBelow(tx: Query, group: string, other: string): Promise<boolean> {
  const { rows } = await sql`select 1 from (${groupsAboveSql([group])}) as above where above.pk = ${other}`.execute(tx);
  return rows.length > 0;
}

async function areTaken(tx: Query, roles: readonly string[], byOther: string | undefined): Promise<boolean> {
  const others = byOther === undefined ? sql`` : sql` and "group" <> ${byOther}`;
  const { rows } = await sql`select 1 from group_roles where role in (${sql.join(roles)})${others} limit 1`.execute(tx);
  return rows.length > 0;
}
