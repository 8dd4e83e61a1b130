import { embeddedSourceWithIcon } from '../../../source/embedded-source.ts';
import { defineGroupConnection } from '../../../source/group-connection.ts';
import { defineUserConnection } from '../../../source/user-connection.family.ts';
import { samlConnectionModel, samlSourceModel } from './saml-model.ts';

export const userSamlConnection = defineUserConnection({
  path: '/sources/user_connections/saml/',
  model: samlConnectionModel,
  schema: 'UserSAMLSourceConnection',
  names: ['User SAML Source Connection', 'User SAML Source Connections'],
  table: 'user_connection_saml',
  sourceModel: samlSourceModel,
  fields: { source: embeddedSourceWithIcon },
});

export const groupSamlConnection = defineGroupConnection({
  path: '/sources/group_connections/saml/',
  model: 'svc_sources_saml.groupsamlsourceconnection',
  schema: 'GroupSAMLSourceConnection',
  names: ['Group SAML Source Connection', 'Group SAML Source Connections'],
  sourceModel: samlSourceModel,
  create: false,
});
