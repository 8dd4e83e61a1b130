import { hash } from 'node:crypto';
import { Problem } from '../../lib/problem.ts';
import type { Passwords } from '../../platform/passwords.ts';
import { randomUuid } from '../../platform/random.ts';
import { requireActor } from '../../resource/call.ts';
import type { Action } from '../../resource/define.ts';
import { refs } from '../../resource/fields/ref.ts';
import { flag, time, uuid } from '../../resource/fields/scalar.ts';
import { computed, derived, nestedMany } from '../../resource/fields/shown.ts';
import { json } from '../../resource/fields/structured.ts';
import { choice, text } from '../../resource/fields/text.ts';
import { booleanSchema, stringSchema } from '../../resource/json-schema.ts';
import { defineResource, type Resource } from '../../resource/resource.ts';
import { isSuperuserSql } from '../access/rights-sql.ts';
import { initialsAvatar } from './avatar.ts';
import { setPassword } from './set-password.ts';

export interface UserNeeds {
  readonly installId: string;
  readonly passwords: Passwords;
}

const memberships = { table: 'user_groups', own: 'user', other: 'group' };
const now = (call: { now: string }) => call.now;

export function userResource({ installId, passwords }: UserNeeds): Resource {
  return defineResource({
    path: '/core/users/',
    param: 'id',
    key: 'int',
    model: 'svc_core.user',
    schema: 'User',
    names: ['User', 'Users'],
    table: 'users',
    order: ['username'],
    search: ['username', 'name', 'email'],
    searchIndex: ['username', 'name', 'email'],
    nameOf: (row) => String(row.username),
    fields: {
      username: text({ max: 150, unique: 'This field must be unique.', filter: true }),
      name: text({ blank: true, required: true, filter: true }),
      is_active: flag({ default: true, filter: true }),
      last_login: time({ nullable: true, readOnly: true, default: null }),
      is_superuser: computed(booleanSchema, (row) => isSuperuserSql(row.col('pk'))),
      groups: refs('svc_core.group', 'uuid', { ...memberships, resetOnPut: true }),
      groups_obj: nestedMany('svc_core.group', memberships, { view: 'simple', order: 'name' }),
      email: text({ max: 254, blank: true, format: 'email', default: '', filter: true }),
      avatar: derived(stringSchema, (row) => initialsAvatar(String(row.name || row.username))),
      attributes: json({ default: () => ({}) }),
      uid: derived(stringSchema, (row) => hash('sha256', `${row.pk}-${installId}`)),
      path: text({ default: 'users', filter: true }),
      type: choice(['internal', 'external', 'service_account', 'internal_service_account'], { default: 'internal' }),
      uuid: uuid({ readOnly: true, default: randomUuid, filter: true }),
      password: text({ readOnly: true, writeOnly: true, default: '!' }),
      password_change_date: time({ readOnly: true, writeOnly: true, default: now }),
      date_joined: time({ readOnly: true, writeOnly: true, default: now }),
    },
    views: {
      member: {
        schema: 'GroupMember',
        fields: ['pk', 'username', 'name', 'is_active', 'last_login', 'email', 'attributes', 'uid'],
      },
    },
    actions: [setPasswordAction(passwords)],
  });
}

function setPasswordAction(passwords: Passwords): Action {
  return {
    name: 'set_password',
    on: 'row',
    method: 'POST',
    summary: 'Set the password of a user',
    access: { permission: 'svc_core.reset_user_password' },
    body: { password: text({ trim: false, max: 4096 }) },
    bodySchema: 'UserPasswordSetRequest',
    answer: { status: 204 },
    prepare: async ({ call, row, values }) => {
      // A delegated administrator must not become a superuser by way of a superuser's password.
      if (row.is_superuser && !requireActor(call).isSuperuser) throw new Problem('permission_denied');
      return passwords.hash(values.password as string);
    },
    run: ({ tx, call, row, prepared }) => setPassword(tx, call, row, prepared as string),
  };
}
