import { normalizeType } from '../../../lib/ldap/dn.ts';

/** The attributes that follow from accounts and groups. No attribute of a user or group replaces them. */
export const computedAttributes: ReadonlySet<string> = new Set(
  [
    ...['cn', 'sAMAccountName', 'uid', 'name', 'displayName', 'sn', 'mail', 'memberOf', 'uidNumber', 'gidNumber'],
    ...['homeDirectory', 'gatehouse-active', 'gatehouse-superuser', 'objectClass', 'member', 'memberUid', 'ou', 'dc'],
    ...['distinguishedName', 'entryDN', 'entryUUID', 'pwdChangedTime', 'createTimestamp', 'modifyTimestamp'],
    ...['structuralObjectClass', 'subschemaSubentry', 'hasSubordinates', 'userPassword', 'unicodePwd'],
  ].map(normalizeType),
);
