import { sql } from 'kysely';
import { memoize } from '../../lib/memoize.ts';
import type { Jobs } from '../../platform/jobs/job.ts';
import type { Passwords } from '../../platform/passwords.ts';
import { randomUuid } from '../../platform/random.ts';
import type { Call } from '../../resource/call.ts';
import { defineResource } from '../../resource/define.ts';
import { booleanSchema, stringSchema } from '../../resource/document/json-schema.ts';
import { computed, nestedMany } from '../../resource/fields/computed.ts';
import { hidden } from '../../resource/fields/field.ts';
import { refs } from '../../resource/fields/ref.ts';
import { boolean, time, uuid } from '../../resource/fields/scalar.ts';
import { json } from '../../resource/fields/structured.ts';
import { choice, text } from '../../resource/fields/text.ts';
import { eitherFilter } from '../../resource/list/filters.ts';
import type { Action, Filter } from '../../resource/resource.ts';
import { giveRight } from '../access/delegation.ts';
import { rightsAction } from '../access/rights.action.ts';
import { isSuperuserSql, superusersSql } from '../access/rights-sql.ts';
import { languagePart } from '../brand/language.ts';
import type { SettingsStore } from '../settings/settings.ts';
import type { KeyNeeds } from '../token/issue-token.ts';
import { avatarOf, defaultAvatars, initialsAvatar } from './avatar.ts';
import {
  attributesFilter,
  choicesFilter,
  folderFilter,
  linkedFilter,
  notSinceFilter,
  startsWithFilter,
} from './directory-filters.ts';
import { emailProofFields } from './email-proof.ts';
import { endImpersonationAction, impersonateAction } from './impersonation.ts';
import { emailKey, emailTaken, upnKey, usernameKey, usernameTaken } from './name-keys.ts';
import { serviceAccountAction } from './service-account.ts';
import { uidOf as computeUid } from './uid.ts';
import { meAction, type PasswordNeeds, pathsAction, setPasswordAction, signOutAction } from './user-actions.ts';
import { metricsAction } from './user-metrics.ts';
import {
  afterUserWrite,
  checkUser,
  internalAccount,
  pathComplaint,
  usernameComplaint,
  userRights,
  userTypes,
} from './user-rules.ts';

export interface UserNeeds {
  readonly installId: string;
  readonly passwords: Passwords;
  readonly changeAtSource: PasswordNeeds['changeAtSource'];
  readonly settings: SettingsStore;
  readonly key: KeyNeeds;
  readonly jobs: Jobs;
  readonly config: { readonly publicUrl: string };
  /** Actions that higher layers add. */
  readonly userActions: readonly Action[];
  readonly userFilters: Readonly<Record<string, Filter>>;
}

const maxUids = 10_000;
const maxPictures = 2_000;
const memberships = { table: 'user_groups', own: 'user', other: 'group' };
const now = (call: Call) => call.now;
const ownAddress = 'to change their own email address';

/** People and programs. No query of the resource reads the column with the password hash. */
export function userResource(needs: UserNeeds) {
  const { installId, settings, key, jobs, config, userActions, userFilters } = needs;
  const isSecure = config.publicUrl.startsWith('https:');
  // Cached: every list with users shows them, and they never change.
  const uidOf = memoize(maxUids, (pk: number) => computeUid(pk, installId));
  const pictureOf = memoize(maxPictures, initialsAvatar);
  return defineResource({
    path: '/core/users/',
    param: 'id',
    key: 'int',
    model: 'svc_core.user',
    schema: 'User',
    names: ['User', 'Users'],
    table: 'users',
    order: ['username'],
    page: { columns: ['username', 'name', 'email', 'is_active', 'last_login'] },
    search: ['username', 'name', 'email'],
    hasSearchIndex: true,
    nameOf: (row) => row.username,
    fields: {
      username: text({
        max: 150,
        unique: usernameTaken,
        key: usernameKey,
        filter: true,
        check: usernameComplaint,
        help: 'The name a user signs in with; unique, whatever the case.',
      }),
      name: text({ blank: true, required: true, filter: true, help: 'The name shown to others.', isObvious: true }),
      is_active: boolean({ default: true, filter: true, help: 'Whether the user may sign in and use tokens.' }),
      last_login: time({
        nullable: true,
        default: null,
        limits: { only: 'server' },
        help: 'When the user last signed in. The server keeps it up to date.',
      }),
      is_superuser: computed(booleanSchema, (row) => isSuperuserSql(row.col('pk'))),
      groups: refs('svc_core.group', 'uuid', {
        ...memberships,
        isSet: true,
        needs: 'view',
        resetOnPut: true,
        limits: { takes: giveRight },
        help: 'Groups the user belongs to; they bring roles and access.',
      }),
      groups_obj: nestedMany('svc_core.group', memberships, {
        view: 'simple',
        order: 'name',
        unless: 'include_groups',
      }),
      email: text({
        max: 254,
        blank: true,
        format: 'email',
        default: '',
        filter: true,
        // People sign in and recover their account by address, so it identifies one account unless sharing is allowed.
        unique: emailTaken,
        key: emailKey,
        help: 'The user’s email address. It may also be used to sign in.',
      }),
      ...emailProofFields,
      username_twin: text({ ...hidden, internal: true, blank: true, default: '' }),
      email_twin: text({ ...hidden, internal: true, blank: true, default: '' }),
      attributes: json({
        default: () => ({}),
        key: upnKey,
        help: 'Custom attributes of the user, for expressions and mappings. Values override those of groups.',
        parts: [languagePart('The language that they read; by default that of the brand or of their browser.')],
      }),
      path: text({
        default: 'users',
        filter: true,
        check: pathComplaint,
        help: 'A folder to sort users by, such as `staff/berlin`.',
      }),
      type: choice(userTypes, {
        default: 'internal',
        limits: { without: [internalAccount] },
        help: 'What kind of account it is: a person of your own, an outsider, or a program.',
      }),
      uuid: uuid({ readOnly: true, default: randomUuid, filter: true }),
      password_change_date: time({ ...hidden, internal: true, default: now }),
      date_joined: time({ ...hidden, internal: true, default: now }),
      last_updated: time({ ...hidden, internal: true, nullable: true, default: null, onWrite: now }),
      avatars: { ...computed(stringSchema, () => sql`(select avatars from settings where pk = 1)`), writeOnly: true },
    },
    derived: {
      avatar: {
        schema: stringSchema,
        from: (row, { world }) => avatarOf(row.avatars ?? defaultAvatars, row, world, pictureOf),
      },
      uid: { schema: stringSchema, from: ({ pk }) => uidOf(pk) },
    },
    filters: {
      type: choicesFilter('type', userTypes),
      is_superuser: eitherFilter((row) => sql`${row.col('pk')} in (${superusersSql})`),
      path_startswith: startsWithFilter('path'),
      folder: folderFilter('path'),
      not_signed_in_since: notSinceFilter('last_login'),
      ...userFilters,
      attributes: attributesFilter,
      groups_by_name: linkedFilter(memberships, 'svc_core.group', 'name', 'name'),
      groups_by_pk: linkedFilter(memberships, 'svc_core.group', 'pk', 'uuid'),
    },
    views: {
      member: {
        schema: 'GroupMember',
        fields: ['pk', 'username', 'name', 'is_active', 'last_login', 'email', 'attributes', 'uid'],
      },
    },
    nestedPrivacy: {
      members: ['last_login', 'groups', 'groups_obj', 'email', 'attributes', 'path'],
      ownRows: ({ user }) => sql`select u.pk from users u where u.pk = ${user.pk}`,
    },
    recentAuthentication: { update: ownAddress, partial_update: ownAddress },
    check: (input) => checkUser(input, settings),
    afterWrite: (input) => afterUserWrite(input, settings, jobs),
    rightsOf: userRights,
    actions: [
      meAction,
      pathsAction,
      serviceAccountAction({ key, settings, uidOf }),
      metricsAction,
      rightsAction,
      setPasswordAction(needs),
      signOutAction,
      impersonateAction({ settings }),
      endImpersonationAction({ key, isSecure }),
      ...userActions,
    ],
  });
}
