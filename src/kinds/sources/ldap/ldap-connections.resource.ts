import { defineGroupConnection } from '../../../source/group-connection.ts';
import { defineUserConnection } from '../../../source/user-connection.family.ts';
import { ldapConnectionModel, ldapGroupConnectionModel, ldapSourceModel } from './ldap-model.ts';

export const userLdapConnection = defineUserConnection({
  path: '/sources/user_connections/ldap/',
  model: ldapConnectionModel,
  schema: 'UserLDAPSourceConnection',
  names: ['User LDAP Source Connection', 'User LDAP Source Connections'],
  table: 'user_connection_ldap',
  sourceModel: ldapSourceModel,
  fields: {},
});

export const groupLdapConnection = defineGroupConnection({
  path: '/sources/group_connections/ldap/',
  model: ldapGroupConnectionModel,
  schema: 'GroupLDAPSourceConnection',
  names: ['Group LDAP Source Connection', 'Group LDAP Source Connections'],
  sourceModel: ldapSourceModel,
  create: true,
});
