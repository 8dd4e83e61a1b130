import { sql } from 'kysely';
import { groupsOfSql } from '../../../../core/access/rights-sql.ts';
import { groupNumber } from '../../../../core/directory/group-number.ts';
import { normalizeType, normalizeValue } from '../../../../lib/ldap/dn.ts';
import type { Filter } from '../../../../lib/ldap/filter.ts';
import { isUuid } from '../../../../resource/fields/scalar.ts';
import { isStorable } from '../../../../resource/fields/well-formed.ts';
import { entryDn, groupClasses, userDn } from '../tree.ts';
import type { EntryKind, Row, View } from './entry-kind.ts';
import { groupsOfDn, usersNamed, usersOfDn } from './find-named.ts';
import { always, containsParts, decidedBy, exactly, type Leaf, never, roughly } from './narrow.ts';
import { attributesOfAll, isTrue, withDn } from './users.ts';
import { Attributes, numberIn, putPublished, storedAttributes } from './values.ts';

const plain = /^[ -~]*$/;
const isNamed = (name: string) => (plain.test(name) ? sql`lower(g.name) = lower(${name})` : null);

export const groups: EntryKind = {
  container: 'groups',
  from: sql`groups g`,
  key: sql`g.pk`,
  batch: 100,
  computed: new Set([
    ...[...attributesOfAll, 'cn', 'samaccountname', 'uid', 'entryuuid', 'gidnumber', 'xak-superuser'],
    ...['member', 'memberuid', 'memberof'],
  ]),
  isPublished: true,
  visible: ({ only }) => (only ? sql`g.pk in (${groupsOfSql(sql`${only.pk}`)})` : sql`1 = 1`),
  named: (_, name) => (isStorable(name) ? (isNamed(name) ?? sql`1 = 1`) : null),
  columns({ dialect }, wanted) {
    const above = dialect.jsonValues(
      sql`select a.name from group_ancestors ga join groups a on a.pk = ga.ancestor
        where ga."group" = g.pk and ga.ancestor <> g.pk order by a.name`,
      'name',
    );
    return sql`g.pk, g.name, g.is_superuser, g.attributes${wanted.has('memberof') ? sql`, ${above} as above` : sql``}`;
  },
  leafOf: (view) => (leaf) => {
    switch (leaf.is) {
      case 'present':
        return present(normalizeType(leaf.attribute));
      case 'equal':
      case 'approximate':
        return equals(view, normalizeType(leaf.attribute), leaf.value);
      case 'substrings':
        return contains(leaf);
      case 'extensible': {
        const type = normalizeType(leaf.attribute ?? '');
        return type === 'member' || type === 'memberof' ? equals(view, type, leaf.value) : null;
      }
      default:
        return null;
    }
  },
  async entryOf(view, row, wanted) {
    const { base_dn, published, gid_start_number } = view.provider;
    const name = String(row.name);
    const stored = storedAttributes(row.attributes);
    const attributes = new Attributes()
      .put('cn', name)
      .put('sAMAccountName', name)
      .put('uid', String(row.pk))
      .put('entryUUID', String(row.pk))
      .put('objectClass', ...groupClasses)
      .put('structuralObjectClass', 'groupOfNames')
      .put('gidNumber', numberIn(stored, 'gidNumber') ?? String(gid_start_number + groupNumber(String(row.pk))))
      .put('xak-superuser', row.is_superuser ? 'true' : 'false');
    if (wanted.has('memberof')) {
      const above: string[] = JSON.parse(String(row.above));
      attributes.put('memberOf', ...above.map((one) => entryDn(base_dn, 'groups', one)));
    }
    if (wanted.has('member') || wanted.has('memberuid')) await putMembers(view, row, attributes);
    putPublished(attributes, stored, published, null);
    return withDn(entryDn(base_dn, 'groups', name), attributes);
  },
};

/** Users who may not search the directory see themselves alone in their groups. */
async function putMembers({ query, provider, only }: View, { pk }: Row, attributes: Attributes): Promise<void> {
  const usernames = only ? [only.username] : await membersOf(query, String(pk));
  const below = only ? [] : await groupsBelow(query, String(pk));
  attributes
    .put(
      'member',
      ...usernames.map((username) => userDn(provider.base_dn, username)),
      ...below.map((name) => entryDn(provider.base_dn, 'groups', name)),
    )
    .put('memberUid', ...usernames);
}

/** Of the group and of all groups below it: the same as those whose `memberOf` names it. */
async function membersOf(query: View['query'], group: string): Promise<string[]> {
  const { rows } = await sql<{
    username: string;
  }>`select u.username from users u where u.type <> 'internal_service_account'
    and u.pk in (select ug."user" from group_ancestors ga cross join user_groups ug
      where ga.ancestor = ${group} and ug."group" = ga."group") order by u.pk`.execute(query);
  return rows.map(({ username }) => username);
}

async function groupsBelow(query: View['query'], group: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from groups where parent = ${group} order by name`.execute(
    query,
  );
  return rows.map(({ name }) => name);
}

const alwaysThere = new Set([
  ...['cn', 'samaccountname', 'uid', 'entryuuid', 'objectclass', 'gidnumber', 'xak-superuser', 'distinguishedname'],
  'entrydn',
]);

function present(type: string): Leaf | null {
  if (alwaysThere.has(type)) return always;
  if (type === 'memberof') return decidedBy(sql`g.parent is not null`);
  if (type !== 'member' && type !== 'memberuid') return null;
  const below = sql`g.pk in (select ga.ancestor from user_groups ug cross join group_ancestors ga where ga."group" = ug."group")`;
  return decidedBy(
    type === 'member' ? sql`(${below} or g.pk in (select b.parent from groups b where b.parent is not null))` : below,
  );
}

async function equals(view: View, type: string, value: string | null): Promise<Leaf | null> {
  if (value === null || !isStorable(value)) return never;
  switch (type) {
    case 'cn':
    case 'samaccountname': {
      const named = isNamed(value.trim());
      return named && roughly(named);
    }
    case 'uid':
    case 'entryuuid':
      return isUuid(value) ? roughly(sql`g.pk = ${value.toLowerCase()}`) : never;
    case 'objectclass':
      return groupClasses.some((name) => normalizeValue(name) === normalizeValue(value)) ? always : never;
    case 'distinguishedname':
    case 'entrydn': {
      const named = await groupsOfDn(view, value);
      return named.length > 0 ? exactly(sql`g.pk in (${sql.join(named)})`) : never;
    }
    case 'member':
      return hasMember(view, await usersOfDn(view, value), view.only ? [] : await groupsOfDn(view, value));
    case 'memberuid':
      return hasMember(view, await usersNamed(view.query, value), []);
    case 'memberof': {
      const above = await groupsOfDn(view, value);
      if (above.length === 0) return never;
      return decidedBy(sql`g.pk in (select ga."group" from group_ancestors ga
        where ga.ancestor in (${sql.join(above)}) and ga."group" <> ga.ancestor)`);
    }
    case 'xak-superuser':
      return isTrue(value, sql`g.is_superuser`);
    default:
      return null;
  }
}

/** Who sees only themselves learns nothing about others by asking for them. */
function hasMember({ only }: View, members: readonly number[], below: readonly string[]): Leaf {
  const asked = only ? members.filter((pk) => pk === only.pk) : members;
  const conditions = [
    ...asked.map((pk) => sql`g.pk in (${groupsOfSql(sql`${pk}`)})`),
    ...(below.length > 0 ? [sql`g.pk in (select b.parent from groups b where b.pk in (${sql.join(below)}))`] : []),
  ];
  return conditions.length > 0 ? decidedBy(sql`(${sql.join(conditions, sql` or `)})`) : never;
}

function contains(leaf: Extract<Filter, { is: 'substrings' }>): Leaf | null {
  const type = normalizeType(leaf.attribute);
  return type === 'cn' || type === 'samaccountname' ? containsParts(sql`lower(g.name)`, leaf) : null;
}
