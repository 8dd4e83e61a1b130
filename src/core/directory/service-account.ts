import { sql } from 'kysely';
import { Invalid, Problem } from '../../lib/problem.ts';
import { addMilliseconds } from '../../platform/clock.ts';
import type { Query } from '../../platform/db/database.ts';
import { randomText, randomUuid } from '../../platform/random.ts';
import { longLivedCredentials } from '../../resource/access/credentials.ts';
import { requireActor } from '../../resource/call.ts';
import { defineAction } from '../../resource/define.ts';
import { integerSchema, objectSchema, stringSchema } from '../../resource/document/json-schema.ts';
import type { Row } from '../../resource/fields/field.ts';
import { boolean, time } from '../../resource/fields/scalar.ts';
import { text } from '../../resource/fields/text.ts';
import type { Action } from '../../resource/resource.ts';
import { modelFacts } from '../../resource/write/audit.ts';
import { insertRow } from '../../resource/write/write-row.ts';
import type { Settings } from '../settings/settings.ts';
import { issueToken, type KeyNeeds } from '../token/issue-token.ts';
import { tokenExpiresAttribute } from '../token/token-rules.ts';
import { isNameFree } from './name-keys.ts';
import { usernameComplaint } from './user-rules.ts';
import { usersIn } from './users.ts';

interface Dependencies {
  readonly key: KeyNeeds;
  readonly settings: { read(query: Query): Promise<Settings> };
  uidOf(pk: number): string;
}

const lifetimeMs = 360 * 86_400_000;

/** Creates an account for a program, with an app password and, on request, a group of its own. */
export const serviceAccountAction = ({ key, settings, uidOf }: Dependencies): Action<unknown> =>
  defineAction({
    name: 'service_account',
    on: 'set',
    method: 'POST',
    page: { button: 'New service account', needs: ['svc_core.add_user', 'svc_core.add_token'] },
    summary: 'Create a user account for a program',
    access: { permission: 'svc_core.add_user' },
    credentials: longLivedCredentials,
    recentAuthentication: true,
    body: {
      name: text({ max: 150, check: usernameComplaint, help: 'The username of the account.' }),
      create_group: boolean({ default: false, help: 'Create a group of the same name with the account in it.' }),
      expiring: boolean({ default: true, help: 'Turn off for a token that never ends.' }),
      expires: time<true>({ default: null, help: 'When its token ends; after 360 days when empty.' }),
    },
    bodySchema: 'UserServiceAccountRequest',
    answer: {
      status: 200,
      schema: {
        ...objectSchema({
          username: stringSchema,
          token: stringSchema,
          user_uid: stringSchema,
          user_pk: integerSchema,
          group_pk: stringSchema,
        }),
        required: ['token', 'user_pk', 'user_uid', 'username'],
      },
      schemaName: 'UserServiceAccountResponse',
    },
    async run({ tx, call, registry, values }) {
      const actor = requireActor(call);
      const wantsGroup = values.create_group;
      const needed = ['svc_core.add_token', ...(wantsGroup ? ['svc_core.add_group'] : [])];
      const lacking = needed.find((permission) => !actor.holds(permission));
      if (lacking) throw Problem.lacks(lacking);
      const username = values.name;
      await checkIsFree(tx, username, wantsGroup);
      const group = wantsGroup
        ? await insertRow(registry.require('svc_core.group'), newGroup(username), call, tx)
        : null;
      const account = newAccount(username, values.expiring, call.now, group);
      const users = usersIn(registry);
      const pk = await insertRow(users, account, call, tx);
      const password = randomText((await settings.read(tx)).default_token_length);
      const expires = values.expires ?? addMilliseconds(call.now, lifetimeMs);
      await issueToken(tx, key, {
        identifier: await freeIdentifier(tx, username),
        intent: 'app_password',
        user: pk,
        key: password,
        expires: values.expiring ? expires : null,
      });
      const context = { model: modelFacts(users, pk, account), service_account: { group: group ?? null } };
      await call.world.record(tx, call, { action: 'model_created', app: 'svc_core', context });
      return { username, token: password, user_uid: uidOf(pk), user_pk: pk, ...(group && { group_pk: group }) };
    },
  });

const newGroup = (name: string): Row => ({ name, is_superuser: false, parent: null, attributes: {} });

const newAccount = (username: string, expiring: boolean, now: string, group: string | number | null): Row => ({
  username,
  name: username,
  email: '',
  is_active: true,
  last_login: null,
  type: 'service_account',
  path: 'gatehouse/service-accounts',
  attributes: { [tokenExpiresAttribute]: expiring },
  uuid: randomUuid(),
  password_change_date: now,
  date_joined: now,
  groups: group === null ? [] : [group],
});

async function checkIsFree(tx: Query, name: string, alsoGroup: boolean): Promise<void> {
  const isGroup = alsoGroup && (await sql`select 1 from groups where name = ${name}`.execute(tx)).rows.length > 0;
  if (isGroup || !(await isNameFree(tx, name))) throw Invalid.whole('A user/group with these details already exists');
}

/** `service-account-<name>-password`. Names that differ only in characters not allowed in identifiers get a suffix. */
async function freeIdentifier(tx: Query, username: string): Promise<string> {
  const name = username
    .normalize('NFKD')
    .replace(/[^\w\s-]/g, '')
    .trim()
    .toLowerCase()
    .replace(/[-\s]+/g, '-');
  const identifier = `service-account-${name}-password`;
  const { rows } = await sql`select 1 from tokens where identifier = ${identifier}`.execute(tx);
  return rows.length === 0 ? identifier : `${identifier}-${randomText(8).toLowerCase()}`;
}
