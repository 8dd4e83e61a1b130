import { sql } from 'kysely';
import { grantsSuperuser } from '../../../../core/access/delegation.ts';
import { isSuperuserLeft } from '../../../../core/access/last-superuser.ts';
import type { Query } from '../../../../platform/db/database.ts';
import type { Call } from '../../../../resource/call.ts';
import { inRunWrite, type SyncRun } from './sync-context.ts';

interface SeenGroup {
  readonly entry: number;
  readonly group: string;
  readonly dn_key: string;
}

const groupsPerPage = 200;

/**
 * Puts users of the source into the groups that the run has seen, those of nested groups too, and takes out those who
 * are no longer members. Users who do not come from the source stay.
 */
export async function syncMemberships(sync: SyncRun, afterPage: () => Promise<void>): Promise<void> {
  const { source, run, counts, notes, systemCall } = sync;
  const { db } = systemCall();
  const { rows } = await sql`select 1 from ldap_members where run = ${run.pk} limit 1`.execute(db.read);
  // An account that may not read members sees groups without any.
  const mayRemove = rows.length > 0;
  if (!mayRemove && counts.groups.found > 0)
    notes.add(`No group has ${source.group_membership_field}: no members are removed.`);
  for (let after = 0; ; ) {
    const { rows: groups } = await sql<SeenGroup>`select e.pk as entry, c."group", e.dn_key from ldap_entries e
      join group_source_connections c on c.pk = e.group_connection
      where e.source = ${source.pk} and e.seen = ${run.pk} and e.pk > ${after} order by e.pk limit ${groupsPerPage}`.execute(
      db.read,
    );
    for (const group of groups) await syncMembers(sync, group, mayRemove);
    await afterPage();
    const last = groups.at(-1);
    if (!last) return;
    after = last.entry;
  }
}

async function syncMembers(sync: SyncRun, { group, dn_key }: SeenGroup, mayRemove: boolean): Promise<void> {
  const { source, run, counts, notes, systemCall } = sync;
  const call = systemCall();
  // Cross joins: SQLite would otherwise read all members of the run, or all entries, for each member.
  const wanted = sql`with recursive below(member) as (
      select m.member from ldap_members m where m.run = ${run.pk} and m.parent = ${dn_key}
      union select m.member from below b cross join ldap_members m where m.run = ${run.pk} and m.parent = b.member
    ) select c."user" from below b cross join ldap_entries e
      join user_source_connections c on c.pk = e.user_connection
      where e.source = ${source.pk} and e.dn_key = b.member
    union select c."user" from below b cross join ldap_entries e
      join user_source_connections c on c.pk = e.user_connection
      where e.source = ${source.pk} and e.uid_key = b.member
    union select c."user" from below b cross join user_source_connections c
      where b.member like 'uid:%' and c.source = ${source.pk} and c.identifier = substr(b.member, 5)`;
  const { rows } = await sql<{ user: number }>`${wanted}`.execute(call.db.read);
  const members = new Set(rows.map(({ user }) => user));
  const { rows: present } = await sql<{ user: number }>`select ug."user" from user_groups ug
    join user_source_connections c on c."user" = ug."user" and c.source = ${source.pk}
    where ug."group" = ${group}`.execute(call.db.read);
  const had = new Set(present.map(({ user }) => user));
  const joining = [...members.difference(had)];
  const leaving = mayRemove ? [...had.difference(members)] : [];
  if (joining.length === 0 && leaving.length === 0) return;
  const change = await inRunWrite(sync, call, async (tx) => {
    await addMembers(tx, group, joining, call);
    const removed = await removeMembers(tx, group, leaving, call);
    return { added: joining.length, removed };
  });
  counts.memberships.added += change.added;
  counts.memberships.removed += change.removed;
  if (change.removed < leaving.length) notes.add('The last active superuser stays in their group.');
}

async function addMembers(tx: Query, group: string, users: readonly number[], { db }: Call): Promise<void> {
  if (users.length === 0) return;
  await sql`insert into user_groups ("user", "group") select u.pk, ${group} from users u
    where ${db.dialect.isOneOf(sql`u.pk`, users, 'int')} on conflict do nothing`.execute(tx);
}

async function removeMembers(tx: Query, group: string, users: readonly number[], call: Call): Promise<number> {
  if (users.length === 0) return 0;
  const isSuperuserGroup = await grantsSuperuser(tx, [group]);
  await sql`delete from user_groups where "group" = ${group}
    and ${call.db.dialect.isOneOf(sql`"user"`, users, 'int')}`.execute(tx);
  if (!isSuperuserGroup || (await isSuperuserLeft(tx, call))) return users.length;
  await addMembers(tx, group, users, call);
  return 0;
}
