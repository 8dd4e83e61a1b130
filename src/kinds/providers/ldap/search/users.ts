import { type RawBuilder, sql } from 'kysely';
import { groupsOfSql, isSuperuserSql, membersSql } from '../../../../core/access/rights-sql.ts';
import { emailKey, usernameKey } from '../../../../core/directory/name-keys.ts';
import { uidOf } from '../../../../core/directory/uid.ts';
import { normalizeType, normalizeValue } from '../../../../lib/ldap/dn.ts';
import type { Filter } from '../../../../lib/ldap/filter.ts';
import { isUuid } from '../../../../resource/fields/scalar.ts';
import { isStorable } from '../../../../resource/fields/well-formed.ts';
import { entryDn, userClasses, userDn, virtualGroupClasses } from '../tree.ts';
import type { EntryKind, Row, View } from './entry-kind.ts';
import { groupsOfDn, usersNamed, usersOfDn } from './find-named.ts';
import type { Entry } from './match.ts';
import { always, containsParts, decidedBy, exactly, type Leaf, type LeafOf, never, roughly } from './narrow.ts';
import { Attributes, generalizedTime, numberIn, putPublished, storedAttributes } from './values.ts';

type Compared = Extract<Filter, { is: 'equal' | 'approximate' | 'greater' | 'less' }>;

const isNamed = (value: string) => sql`u.username_key = ${usernameKey.of(value.trim())}`;
const isAmong = (keys: readonly number[]) => (keys.length > 0 ? sql`u.pk in (${sql.join(keys)})` : sql`1 = 0`);

/** Those whose number is computed or stored; both by an index. */
function numbered(value: string, start: number, names: readonly string[]): Leaf {
  if (!/^\d{1,10}$/.test(value)) return never;
  const key = Number(value) - start;
  const text = String(Number(value));
  const stored = names.map((name) => {
    const column = sql`n."attributes" ->> ${sql.lit(name)}`;
    return sql`select n.pk from users n where ${column} is not null and substr(${column}, 1, 20) = ${text}`;
  });
  const computed = key > 0 && key <= 0x7fffffff ? [sql`select n.pk from users n where n.pk = ${key}`] : [];
  return roughly(sql`u.pk in (${sql.join([...computed, ...stored], sql` union all `)})`);
}

const columns = sql`u.pk, u.uuid, u.username, u.name, u.email, u.is_active, u.attributes, u.date_joined,
  coalesce(u.last_updated, u.date_joined) as updated, u.password_change_date`;

/** Of `commonOf`, and of `withDn`. */
const commonAttributes = [
  'cn',
  'samaccountname',
  'uid',
  'gidnumber',
  'entryuuid',
  'createtimestamp',
  'modifytimestamp',
];
export const attributesOfAll: readonly string[] = [
  ...['objectclass', 'structuralobjectclass', 'distinguishedname', 'entrydn', 'subschemasubentry', 'hassubordinates'],
];

/** What `users` and `virtual-groups` share: one entry for each user. */
const ofUsers = {
  from: sql`users u`,
  key: sql`u.pk`,
  batch: 500,
  visible: ({ only }: View) => (only ? sql`u.pk = ${only.pk}` : sql`u.type <> 'internal_service_account'`),
  named: (_: View, name: string) => (isStorable(name) ? isNamed(name) : null),
} as const;

export const users: EntryKind = {
  ...ofUsers,
  container: 'users',
  computed: new Set([
    ...[...attributesOfAll, ...commonAttributes, 'name', 'displayname', 'sn', 'mail', 'homedirectory', 'uidnumber'],
    ...['memberof', 'xak-active', 'xak-superuser', 'pwdchangedtime'],
  ]),
  isPublished: true,
  columns({ dialect }, wanted) {
    const groups = dialect.jsonValues(
      sql`select g.name from groups g where g.pk in (${groupsOfSql(sql`u.pk`)}) order by g.name`,
      'name',
    );
    return sql`${columns}${wanted.has('memberof') ? sql`, ${groups} as groups` : sql``}${
      wanted.has('xak-superuser') ? sql`, ${isSuperuserSql(sql`u.pk`)} as is_superuser` : sql``
    }`;
  },
  leafOf: (view) => (leaf) => {
    switch (leaf.is) {
      case 'present':
        return presentUser(normalizeType(leaf.attribute));
      case 'equal':
      case 'approximate':
        return userEquals(view, normalizeType(leaf.attribute), leaf.value);
      case 'substrings':
        return userContains(view, leaf);
      case 'extensible':
        return normalizeType(leaf.attribute ?? '') === 'memberof' ? userEquals(view, 'memberof', leaf.value) : null;
      default:
        return null;
    }
  },
  entryOf(view, row, wanted) {
    const { provider } = view;
    const attributes = commonOf(view, row);
    const username = String(row.username);
    const name = String(row.name);
    attributes
      .put('objectClass', ...userClasses)
      .put('structuralObjectClass', 'inetOrgPerson')
      .put('name', name)
      .put('displayName', name)
      .put('sn', name || username)
      .put('mail', String(row.email))
      .put('homeDirectory', homeOf(username))
      .put('xak-active', row.is_active ? 'TRUE' : 'FALSE')
      .put('pwdChangedTime', generalizedTime(row.password_change_date));
    if (wanted.has('memberof')) {
      const groups: string[] = JSON.parse(String(row.groups));
      attributes.put('memberOf', ...groups.map((group) => entryDn(provider.base_dn, 'groups', group)));
    }
    if (wanted.has('xak-superuser')) attributes.put('xak-superuser', row.is_superuser ? 'TRUE' : 'FALSE');
    const stored = storedAttributes(row.attributes);
    attributes.put('uidNumber', uidNumberOf(view, row, stored));
    putPublished(attributes, stored, provider.published, username);
    return withDn(userDn(provider.base_dn, username), attributes);
  },
};

/** None for a name that would lead elsewhere (path traversal), or end the entry in a file of accounts. */
const homeOf = (username: string): string | null =>
  /[/:]/.test(username) || /^\.{1,2}$/.test(username) ? null : `/home/${username}`;

const uidNumberOf = ({ provider }: View, { pk }: Row, stored: ReturnType<typeof storedAttributes>): string =>
  numberIn(stored, 'uidNumber') ?? String(provider.uid_start_number + Number(pk));

/** Attributes of a user that the primary group has as well. */
function commonOf(view: View, row: Row): Attributes {
  const username = String(row.username);
  const stored = storedAttributes(row.attributes);
  return new Attributes()
    .put('cn', username)
    .put('sAMAccountName', username)
    .put('uid', view.provider.uid_source === 'username' ? username : uidOf(Number(row.pk), view.installId))
    .put('gidNumber', numberIn(stored, 'gidNumber') ?? uidNumberOf(view, row, stored))
    .put('entryUUID', String(row.uuid))
    .put('createTimestamp', generalizedTime(row.date_joined))
    .put('modifyTimestamp', generalizedTime(row.updated));
}

export const withDn = (dn: string, attributes: Attributes, hasBelow = false): Entry => ({
  dn,
  attributes: attributes
    .put('distinguishedName', dn)
    .put('entryDN', dn)
    .put('subschemaSubentry', 'cn=subschema')
    .put('hasSubordinates', hasBelow ? 'TRUE' : 'FALSE'),
});

const alwaysThere = new Set([
  ...['cn', 'samaccountname', 'uid', 'sn', 'objectclass', 'uidnumber', 'gidnumber', 'homedirectory', 'entryuuid'],
  ...['distinguishedname', 'entrydn', 'xak-active'],
]);

function presentUser(type: string): Leaf | null {
  if (alwaysThere.has(type)) return always;
  // Everybody has it, but it is not always loaded.
  if (type === 'xak-superuser') return decidedBy(sql`1 = 1`);
  if (type === 'mail') return exactly(sql`u.email <> ''`);
  if (type === 'memberof') return decidedBy(sql`u.pk in (select ug."user" from user_groups ug)`);
  return null;
}

async function userEquals(view: View, type: string, value: string | null): Promise<Leaf | null> {
  if (value === null || !isStorable(value)) return never;
  const named = namedLeaf(view, type, value);
  if (named) return named;
  switch (type) {
    case 'mail':
      return roughly(sql`u.email_key = ${emailKey.of(value.trim())}`);
    case 'objectclass':
      return userClasses.some((name) => normalizeValue(name) === normalizeValue(value)) ? always : never;
    case 'memberof': {
      const groups = await groupsOfDn(view, value);
      return groups.length > 0 ? decidedBy(sql`u.pk in (${membersSql(groups)})`) : never;
    }
    case 'distinguishedname':
    case 'entrydn':
      return exactly(isAmong(await usersOfDn(view, value)));
    case 'uidnumber':
      return numbered(value, view.provider.uid_start_number, ['uidNumber']);
    case 'xak-active':
      return isTrue(value, sql`u.is_active`);
    case 'xak-superuser':
      return { ...isTrue(value, isSuperuserSql(sql`u.pk`)), isDecided: true };
    default:
      return null;
  }
}

/** Of a flag in words. */
export function isTrue(value: string, flag: RawBuilder<unknown>): Leaf {
  const wanted = normalizeValue(value);
  if (wanted === 'true') return exactly(flag);
  return wanted === 'false' ? exactly(sql`not ${flag}`) : never;
}

/** What entries of both kinds are looked up by. */
function namedLeaf({ provider }: View, type: string, value: string): Leaf | null {
  switch (type) {
    case 'cn':
    case 'samaccountname':
      return roughly(isNamed(value));
    case 'uid':
      return provider.uid_source === 'username' ? roughly(isNamed(value)) : null;
    case 'gidnumber':
      return numbered(value, provider.uid_start_number, ['uidNumber', 'gidNumber']);
    case 'entryuuid':
      return isUuid(value) ? roughly(sql`u.uuid = ${value.toLowerCase()}`) : never;
    default:
      return null;
  }
}

function userContains({ provider }: View, leaf: Extract<Filter, { is: 'substrings' }>): Leaf | null {
  switch (normalizeType(leaf.attribute)) {
    case 'cn':
    case 'samaccountname':
      return containsParts(sql`u.username_key`, leaf);
    case 'uid':
      return provider.uid_source === 'username' ? containsParts(sql`u.username_key`, leaf) : null;
    case 'mail':
      return containsParts(sql`u.email_key`, leaf);
    case 'name':
    case 'displayname':
      return containsParts(sql`lower(u.name)`, leaf);
    case 'sn':
      return containsParts(sql`lower(coalesce(nullif(u.name, ''), u.username))`, leaf);
    default:
      return null;
  }
}

/** The primary group of each user (POSIX). */
export const virtualGroups: EntryKind = {
  ...ofUsers,
  container: 'virtual-groups',
  computed: new Set([...attributesOfAll, ...commonAttributes, 'member', 'memberuid']),
  isPublished: false,
  columns: () => columns,
  leafOf:
    (view): LeafOf =>
    async (leaf) => {
      if (leaf.is === 'substrings') {
        const type = normalizeType(leaf.attribute);
        return type === 'cn' || type === 'samaccountname' ? containsParts(sql`u.username_key`, leaf) : null;
      }
      if (leaf.is !== 'equal' && leaf.is !== 'approximate') return null;
      return virtualGroupEquals(view, leaf);
    },
  entryOf(view, row) {
    const { base_dn } = view.provider;
    const username = String(row.username);
    const attributes = commonOf(view, row)
      .put('objectClass', ...virtualGroupClasses)
      .put('structuralObjectClass', 'groupOfNames')
      .put('member', userDn(base_dn, username))
      .put('memberUid', username);
    return withDn(entryDn(base_dn, 'virtual-groups', username), attributes);
  },
};

async function virtualGroupEquals(view: View, { attribute, value }: Compared): Promise<Leaf | null> {
  if (value === null || !isStorable(value)) return never;
  const type = normalizeType(attribute);
  switch (type) {
    case 'objectclass':
      return virtualGroupClasses.some((name) => normalizeValue(name) === normalizeValue(value)) ? always : never;
    case 'distinguishedname':
    case 'entrydn':
      return exactly(isAmong(await usersOfDn(view, value, 'virtual-groups')));
    case 'member':
      return exactly(isAmong(await usersOfDn(view, value)));
    case 'memberuid':
      return exactly(isAmong(await usersNamed(view.query, value)));
    default:
      return namedLeaf(view, type, value);
  }
}
