import { sql } from 'kysely';
import { usersIn } from '../../../core/directory/users.ts';
import { issueToken } from '../../../core/token/issue-token.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import { randomText } from '../../../platform/random.ts';
import { defaultOf, type Row } from '../../../resource/fields/field.ts';
import type { AfterWrite } from '../../../resource/resource.ts';
import { insertRow } from '../../../resource/verbs/write-row.ts';

/** Gives a new source the account that its SCIM client acts as, and the token that proves it. Both go with the source. */
export async function createServiceAccount(
  { tx, call, registry, pk, values }: AfterWrite<{ pk: string; name: string }>,
  key: InstanceKey,
): Promise<void> {
  const identifier = `gatehouse-source-scim-${pk}`;
  const users = usersIn(registry);
  const account: Row = {};
  for (const [name, field] of Object.entries(users.allFields)) {
    if (field.storage.in === 'column') account[name] = field.onWrite?.(call) ?? defaultOf(field, call);
  }
  account.username = identifier;
  account.name = `SCIM Source ${values.name} Service-Account`;
  account.type = 'internal_service_account';
  account.path = 'gatehouse/service-accounts';
  const user = await insertRow(users, account, call, tx);
  const token = await issueToken(tx, key, {
    identifier,
    intent: 'api',
    user,
    key: randomText(60),
    description: `The SCIM client of the source ${values.name}`,
    expires: null,
    managed: `gatehouse/sources/scim/${pk}`,
    audience: `gatehouse/sources/scim/${pk}`,
  });
  await sql`update source_scim set account = ${user}, token = ${token} where pk = ${pk}`.execute(tx);
}
