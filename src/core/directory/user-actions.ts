import { sql } from 'kysely';
import { asObject } from '../../lib/json.ts';
import { Invalid } from '../../lib/problem.ts';
import type { UserText } from '../../lib/texts/message.ts';
import type { Query } from '../../platform/db/database.ts';
import { readList } from '../../platform/db/read-list.ts';
import type { Passwords } from '../../platform/passwords.ts';
import { visibleRows } from '../../resource/access/access.ts';
import type { Actor } from '../../resource/access/actor.ts';
import { longLivedCredentials } from '../../resource/access/credentials.ts';
import { checkRecentlyAuthenticatedFor } from '../../resource/access/recent-authentication.ts';
import { type Call, readBy, requireActor } from '../../resource/call.ts';
import { actionOn } from '../../resource/define.ts';
import {
  arrayOf,
  booleanSchema,
  integerSchema,
  type JsonSchema,
  objectSchema,
  stringSchema,
} from '../../resource/document/json-schema.ts';
import type { Row } from '../../resource/fields/field.ts';
import { text } from '../../resource/fields/text.ts';
import { whereAll } from '../../resource/list/list.ts';
import { findBySearch } from '../../resource/list/search.ts';
import { selectOne, showRow } from '../../resource/read/read.ts';
import type { Action, ActionInput } from '../../resource/resource.ts';
import { modelFacts } from '../../resource/write/audit.ts';
import { isDryRun } from '../../resource/write/write.ts';
import { checkMayReachUser } from '../access/delegation.ts';
import { checkNotImpersonating } from '../access/impersonation-guard.ts';
import { systemPermissions } from '../access/permissions.ts';
import { groupsOfSql } from '../access/rights-sql.ts';
import { endSessions } from '../session/session.ts';
import { effectiveAttributes } from './effective-attributes.ts';
import { setPassword } from './set-password.ts';
import { userTypes } from './user-rules.ts';

export interface PasswordNeeds {
  readonly passwords: Passwords;
  /** Writes the password where the user comes from; returns why it was not taken. */
  changeAtSource(user: number, password: string, call: Call): Promise<UserText | null>;
}

/** Ends the user's sessions; API tokens and app passwords stay valid. */
export function setPasswordAction({ passwords, changeAtSource }: PasswordNeeds) {
  return actionOn<{ pk: number; username: string }>()({
    name: 'set_password',
    on: 'row',
    method: 'POST',
    page: { noButton: 'The page of a user offers it under Actions.' },
    summary: 'Set the password of a user',
    access: { permission: 'svc_core.reset_user_password' },
    credentials: longLivedCredentials,
    recentAuthentication: 'to set their own password',
    body: { password: text({ trim: false, strict: true, max: 4096, help: 'The new password.', isObvious: true }) },
    bodySchema: 'UserPasswordSetRequest',
    answer: { status: 204 },
    prepare: async ({ call, row, values }) => {
      await checkMayReachUser(call.db.read, call, row.pk);
      checkRecentlyAuthenticatedFor(row.pk, call);
      checkNotImpersonating(call);
      const hash = await passwords.hash(values.password);
      const refusal = isDryRun(call) ? null : await changeAtSource(row.pk, values.password, call);
      if (refusal !== null) throw new Invalid({ password: [refusal] });
      return hash;
    },
    async run({ tx, call, row, prepared }) {
      // Checked again: the user may have gained permissions while the password was being hashed.
      await checkMayReachUser(tx, call, row.pk);
      await setPassword(tx, call, row, prepared);
    },
  });
}

/** Ends all sessions of a user but the caller's own. Requires the permission to set passwords, which ends them too. */
export const signOutAction = actionOn<{ pk: number; username: string }>()({
  name: 'sign_out_everywhere',
  on: 'row',
  method: 'POST',
  page: { noButton: 'The page of a user offers it under Actions.' },
  summary: 'End all sessions of a user',
  access: { permission: 'svc_core.reset_user_password' },
  answer: { status: 204 },
  async run({ tx, call, row, registry }) {
    await checkMayReachUser(tx, call, row.pk);
    const { user, session } = requireActor(call);
    const sessions = await endSessions(tx, row.pk, user.pk === row.pk ? session : null);
    const model = modelFacts(registry.require('svc_core.user'), row.pk, row);
    await call.world.record(tx, call, { action: 'logout', app: 'svc_core', context: { sessions, model } });
  },
});

const userSelf: JsonSchema = objectSchema({
  pk: integerSchema,
  username: stringSchema,
  name: stringSchema,
  is_active: booleanSchema,
  is_superuser: booleanSchema,
  groups: arrayOf(objectSchema({ name: stringSchema, pk: stringSchema })),
  email: stringSchema,
  avatar: stringSchema,
  uid: stringSchema,
  settings: { type: 'object', additionalProperties: true },
  type: { type: 'string', enum: userTypes },
  system_permissions: arrayOf(stringSchema),
});

/** The user whom the caller acts as and, during impersonation, the impersonator. */
export const meAction: Action = {
  name: 'me',
  on: 'set',
  method: 'GET',
  page: { noButton: 'Every page reads it.' },
  summary: 'Get the current user',
  access: 'authenticated',
  answer: {
    status: 200,
    schema: { ...objectSchema({ user: userSelf, original: userSelf }), required: ['user'] },
    schemaName: 'SessionUser',
  },
  async run(input) {
    const actor = requireActor(input.call);
    const { impersonator } = actor;
    return {
      user: await selfOf(actor, input),
      ...(impersonator && { original: await selfOf(impersonator, input) }),
    };
  },
};

async function selfOf(
  actor: Actor,
  { tx, call, engine, registry }: Pick<ActionInput, 'call' | 'engine' | 'registry'> & { readonly tx: Query },
): Promise<Row> {
  const users = registry.require('svc_core.user');
  const found = await selectOne({ engine, resource: users, call, tx }, [
    sql`${users.row().col('pk')} = ${actor.user.pk}`,
  ]);
  if (!found) throw new Error('the caller is gone');
  const user = await showRow(engine, users, call, found.raw);
  const { rows: groups } = await sql<{ name: string; pk: string }>`select name, pk from groups
    where pk in (${groupsOfSql(sql`${actor.user.pk}`)}) order by name`.execute(tx);
  const { settings } = await effectiveAttributes(tx, actor.user.pk);
  const { pk, username, name, is_active, is_superuser, email, avatar, uid, type } = user;
  return {
    ...{ pk, username, name, is_active, is_superuser },
    groups,
    ...{ email, avatar, uid },
    settings: asObject(settings),
    type,
    system_permissions: systemPermissions.filter((codename) => actor.holds(`svc_rbac.${codename}`)),
  };
}

/** The paths of users that the caller may see. */
export const pathsAction: Action = {
  name: 'paths',
  on: 'set',
  method: 'GET',
  page: { noButton: 'The list of users shows them as folders.' },
  summary: 'List the paths of users',
  access: 'authenticated',
  query: { search: stringSchema },
  answer: { status: 200, schema: objectSchema({ paths: arrayOf(stringSchema) }), schemaName: 'UserPath' },
  async run({ call, registry }) {
    const users = registry.require('svc_core.user');
    const visible = await visibleRows(users, call, registry);
    const path = users.row().col('path');
    return readList(call.db, async (read) => {
      const { conditions } = await findBySearch(users, readBy(call, read), registry);
      const { rows } = await sql<{ value: string }>`select distinct ${path} as value from ${users.from()}
        ${whereAll([...(visible ? [visible] : []), ...conditions])} order by 1`.execute(read);
      return { paths: rows.map(({ value }) => value) };
    });
  },
};
