import { secret } from '../../../resource/fields/secret.ts';
import { defineGroupConnection } from '../../../source/group-connection.ts';
import { defineUserConnection } from '../../../source/user-connection.family.ts';
import { mediasrcConnectionModel, mediasrcSourceModel } from './mediasrc-model.ts';

export const userMediasrcConnection = defineUserConnection({
  path: '/sources/user_connections/mediasrc/',
  model: mediasrcConnectionModel,
  schema: 'UserMediasrcSourceConnection',
  names: ['User Mediasrc Source Connection', 'User Mediasrc Source Connections'],
  labels: ['User media server source connection', 'User media server source connections'],
  table: 'user_connection_mediasrc',
  sourceModel: mediasrcSourceModel,
  fields: { plex_token: secret({ writeOnly: true, help: 'The token of the user at the media server.' }) },
});

export const groupMediasrcConnection = defineGroupConnection({
  path: '/sources/group_connections/mediasrc/',
  model: 'svc_sources_mediasrc.groupmediasrcsourceconnection',
  schema: 'GroupMediasrcSourceConnection',
  names: ['Group Mediasrc Source Connection', 'Group Mediasrc Source Connections'],
  labels: ['Group media server source connection', 'Group media server source connections'],
  sourceModel: mediasrcSourceModel,
  create: true,
});
