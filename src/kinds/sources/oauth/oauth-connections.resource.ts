import { time } from '../../../resource/fields/scalar.ts';
import { secret } from '../../../resource/fields/secret.ts';
import { defineGroupConnection } from '../../../source/group-connection.ts';
import { unused } from '../../../source/source.family.ts';
import { defineUserConnection } from '../../../source/user-connection.family.ts';
import { oauthConnectionModel, oauthSourceModel } from './oauth-model.ts';

export const userOAuthConnection = defineUserConnection({
  path: '/sources/user_connections/oauth/',
  model: oauthConnectionModel,
  schema: 'UserOAuthSourceConnection',
  names: ['User OAuth Source Connection', 'User OAuth Source Connections'],
  table: 'user_connection_oauth',
  sourceModel: oauthSourceModel,
  fields: {
    access_token: secret({
      writeOnly: true,
      nullable: true,
      blank: true,
      default: null,
      help: 'The token of the user at the service.',
    }),
    refresh_token: unused(secret({ nullable: true, default: null })),
    expires: unused(time({ nullable: true, default: null })),
    // See `renew.ts`.
    renewing_until: unused(time({ nullable: true, default: null })),
    renew_after: unused(time({ nullable: true, default: null })),
  },
});

export const groupOAuthConnection = defineGroupConnection({
  path: '/sources/group_connections/oauth/',
  model: 'svc_sources_oauth.groupoauthsourceconnection',
  schema: 'GroupOAuthSourceConnection',
  names: ['Group OAuth Source Connection', 'Group OAuth Source Connections'],
  sourceModel: oauthSourceModel,
  create: true,
});
