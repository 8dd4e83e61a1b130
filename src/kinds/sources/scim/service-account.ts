import { sql } from 'kysely';
import { usersIn } from '../../../core/directory/users.ts';
import { issueToken } from '../../../core/token/issue-token.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import { randomText } from '../../../platform/random.ts';
import { defaultOf, type Row } from '../../../resource/fields/field.ts';
import type { AfterWrite } from '../../../resource/resource.ts';
import { insertRow } from '../../../resource/write/write-row.ts';

interface Stored {
  readonly account: number | null;
  readonly token: string | null;
}

/**
 * Gives a source the account that its SCIM client acts as, and the token that proves it, where it has none. Both go
 * with the source. Returns those that were missing.
 */
export async function ensureServiceAccount(
  input: AfterWrite<{ pk: string; name: string }>,
  key: InstanceKey,
): Promise<readonly string[]> {
  const { tx, pk, values } = input;
  const { rows } = await sql<Stored>`select account, token from source_scim where pk = ${pk}`.execute(tx);
  const { account = null, token = null } = rows[0] ?? {};
  if (account !== null && token !== null) return [];
  const identifier = `gatehouse-source-scim-${pk}`;
  const user = account ?? (await createAccount(input, identifier));
  const issued =
    token ??
    (await issueToken(tx, key, {
      identifier,
      intent: 'api',
      user,
      key: randomText(60),
      description: `The SCIM client of the source ${values.name}`,
      expires: null,
      managed: `gatehouse/sources/scim/${pk}`,
      audience: `gatehouse/sources/scim/${pk}`,
    }));
  await sql`update source_scim set account = ${user}, token = ${issued} where pk = ${pk}`.execute(tx);
  return [...(account === null ? ['account'] : []), ...(token === null ? ['token'] : [])];
}

async function createAccount(
  { tx, call, registry, values }: AfterWrite<{ pk: string; name: string }>,
  username: string,
): Promise<number> {
  const users = usersIn(registry);
  const account: Row = {};
  for (const [name, field] of Object.entries(users.allFields)) {
    if (field.storage.in === 'column') account[name] = field.onWrite?.(call) ?? defaultOf(field, call);
  }
  account.username = username;
  account.name = `SCIM Source ${values.name} Service-Account`;
  account.type = 'internal_service_account';
  account.path = 'gatehouse/service-accounts';
  return insertRow(users, account, call, tx);
}
