import { sql } from 'kysely';
import { usersIn } from '../../core/directory/users.ts';
import { issueToken, type KeyNeeds } from '../../core/token/issue-token.ts';
import { randomText } from '../../platform/random.ts';
import { defaultOf, type Row } from '../../resource/fields/field.ts';
import type { AfterWrite } from '../../resource/resource.ts';
import { insertRow } from '../../resource/write/write-row.ts';

type Input = AfterWrite<{ pk: string; name: string; managed: string | null }>;

export const outpostTokenIdentifier = (pk: string): string => `xak-outpost-${pk}-api`;
export const outpostAudience = (pk: string): string => `gatehouse/outposts/${pk}`;

/**
 * Gives an outpost the token by which its process authenticates, and the account that owns it, where it has none. The
 * account holds no permissions. Both are deleted with the outpost.
 */
export async function ensureOutpostAccount(input: Input, key: KeyNeeds): Promise<void> {
  const { tx, pk, values } = input;
  const { rows } = await sql<{ account: number | null; token: string | null }>`select account, token from outposts
    where pk = ${pk}`.execute(tx);
  const { account = null, token = null } = rows[0] ?? {};
  if (account !== null && token !== null) return;
  const user = account ?? (await createAccount(input));
  const issued =
    token ??
    (await issueToken(tx, key, {
      identifier: outpostTokenIdentifier(pk),
      intent: 'api',
      user,
      key: randomText(60),
      description: `The outpost ${values.name}`,
      expires: null,
      managed: outpostAudience(pk),
      audience: outpostAudience(pk),
    }));
  await sql`update outposts set account = ${user}, token = ${issued} where pk = ${pk}`.execute(tx);
}

function createAccount({ tx, call, registry, pk, values }: Input): Promise<number> {
  const users = usersIn(registry);
  const account: Row = {};
  for (const [name, field] of Object.entries(users.allFields)) {
    if (field.storage.in === 'column') account[name] = field.onWrite?.(call) ?? defaultOf(field, call);
  }
  account.username = `xak-outpost-${pk.replaceAll('-', '')}`;
  account.name = `Outpost ${values.name} Service-Account`;
  account.type = 'internal_service_account';
  account.path = 'gatehouse/outposts';
  return insertRow(users, account, call, tx);
}
