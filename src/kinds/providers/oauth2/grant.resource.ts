import { isJsonObject } from '../../../lib/json.ts';
import { defineResource } from '../../../resource/define.ts';
import { booleanSchema } from '../../../resource/document/json-schema.ts';
import { embedded } from '../../../resource/fields/computed.ts';
import { hidden } from '../../../resource/fields/field.ts';
import { boolean, time } from '../../../resource/fields/scalar.ts';
import { list } from '../../../resource/fields/structured.ts';
import { text } from '../../../resource/fields/text.ts';
import type { Declaration, Resource } from '../../../resource/resource.ts';
import { readAndDeleteVerbs } from '../../../resource/verb.ts';
import { hasProvider } from './delete-tokens.job.ts';
import { oauth2Model } from './oauth2-model.ts';

const common = {
  provider: embedded(oauth2Model, 'int', { filter: true }),
  user: embedded('svc_core.user', 'int', { filter: true }),
  expires: time({ nullable: true, readOnly: true }),
  scope: list(text(), { readOnly: true }),
  expiring: boolean(hidden),
};

const token = {
  ...common,
  id_token: { ...text({ readOnly: true }), orderable: false },
  revoked: boolean({ readOnly: true }),
};

/** What was granted through OAuth2 providers. People see their own; who takes one away needs the right to. */
function defineGrant(
  grant: Pick<Declaration<typeof common>, 'path' | 'model' | 'schema' | 'names' | 'table' | 'fields'>,
): Resource {
  return defineResource({
    param: 'id',
    key: 'int',
    order: ['provider', 'expires'],
    verbs: readAndDeleteVerbs,
    page: {
      columns: ['user', 'provider', 'scope', 'expires', 'revoked'],
      notInSearch: 'It has no name; the pages of its person and its application show it.',
    },
    visibility: {
      by: 'owner',
      column: 'user',
      write: 'permission',
      always: (row) => hasProvider(row.col('provider')),
    },
    nameOf: (row) => `${grant.names[0]} of ${nameIn(row.user, 'username')} for ${nameIn(row.provider, 'name')}`,
    derived: {
      // Computed on read by the clock of the call, independent of cleanup jobs.
      is_expired: {
        schema: booleanSchema,
        from: ({ expiring, expires }, { call }) => expiring && expires !== null && expires < call.now,
      },
    },
    ...grant,
  });
}

const nameIn = (value: unknown, member: string) => String((isJsonObject(value) && value[member]) || '');

export const accessTokens = defineGrant({
  path: '/oauth2/access_tokens/',
  model: 'svc_providers_oauth2.accesstoken',
  schema: 'TokenModel',
  names: ['OAuth2 Access Token', 'OAuth2 Access Tokens'],
  table: 'oauth2_access_tokens',
  fields: token,
});

export const refreshTokens = defineGrant({
  path: '/oauth2/refresh_tokens/',
  model: 'svc_providers_oauth2.refreshtoken',
  schema: 'TokenModel',
  names: ['OAuth2 Refresh Token', 'OAuth2 Refresh Tokens'],
  table: 'oauth2_refresh_tokens',
  fields: token,
});

export const authorizationCodes = defineGrant({
  path: '/oauth2/authorization_codes/',
  model: 'svc_providers_oauth2.authorizationcode',
  schema: 'ExpiringBaseGrantModel',
  names: ['Authorization Code', 'Authorization Codes'],
  table: 'oauth2_authorization_codes',
  fields: common,
});
