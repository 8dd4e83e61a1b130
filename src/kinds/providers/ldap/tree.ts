import { escapeDnValue, normalizeType } from '../../../lib/ldap/dn.ts';

/** The attributes that follow from accounts and groups. No attribute of a user or group replaces them. */
export const computedAttributes: ReadonlySet<string> = new Set(
  [
    ...['cn', 'sAMAccountName', 'uid', 'name', 'mail', 'memberOf', 'uidNumber', 'gidNumber'],
    ...['xak-active', 'xak-superuser', 'objectClass', 'member', 'memberUid', 'ou', 'dc'],
    ...['distinguishedName', 'entryDN', 'entryUUID', 'pwdChangedTime', 'createTimestamp', 'modifyTimestamp'],
    ...['structuralObjectClass', 'subschemaSubentry', 'hasSubordinates', 'userPassword', 'unicodePwd'],
  ].map(normalizeType),
);

export const containers = ['users', 'groups', 'virtual-groups'] as const;
export type Container = (typeof containers)[number];

export const entryDn = (base: string, container: Container, name: string): string =>
  `cn=${escapeDnValue(name)},ou=${container},${base}`;

export const userDn = (base: string, username: string): string => entryDn(base, 'users', username);

const own = 'gatehouse/ldap';
export const userClasses: readonly string[] = [
  ...['top', 'person', 'organizationalPerson', 'inetOrgPerson', 'user', 'posixAccount', `${own}/user`],
];
export const groupClasses: readonly string[] = [
  ...['top', 'group', 'groupOfUniqueNames', 'groupOfNames', 'posixGroup', `${own}/group`],
];
export const virtualGroupClasses: readonly string[] = [...groupClasses, `${own}/virtual-group`];
