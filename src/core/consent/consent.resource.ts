import { isJsonObject } from '../../lib/json.ts';
import { defineResource } from '../../resource/define.ts';
import { embedded } from '../../resource/fields/computed.ts';
import { boolean, time } from '../../resource/fields/scalar.ts';
import { text } from '../../resource/fields/text.ts';
import { readAndDeleteVerbs } from '../../resource/verb.ts';

const nameIn = (value: unknown, member: string) => String((isJsonObject(value) && value[member]) || '');

/** Which scopes people have granted to applications. Users may revoke their own. */
export const consentResource = defineResource({
  path: '/core/user_consent/',
  param: 'id',
  key: 'int',
  model: 'svc_stages_consent.userconsent',
  schema: 'UserConsent',
  names: ['User Consent', 'User Consents'],
  table: 'user_consents',
  order: ['application', 'expires'],
  page: {
    columns: ['application', 'user', 'permissions', 'expires'],
    notInSearch: 'It belongs to a person, whose page shows it.',
  },
  search: ['user.username'],
  verbs: readAndDeleteVerbs,
  visibility: { by: 'owner', column: 'user', write: 'owner' },
  nameOf: (row) => `User Consent ${nameIn(row.application, 'name')} by ${nameIn(row.user, 'username')}`,
  fields: {
    expires: time({ nullable: true, readOnly: true }),
    expiring: boolean({ readOnly: true }),
    user: embedded('svc_core.user', 'int', { filter: true }),
    application: embedded('svc_core.application', 'uuid', { filter: true }),
    permissions: text({ blank: true, readOnly: true, default: '' }),
  },
});
