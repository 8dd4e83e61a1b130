import { sql } from 'kysely';
import { isNameFree } from '../../../core/directory/name-keys.ts';
import { usersIn } from '../../../core/directory/users.ts';
import type { Query } from '../../../platform/db/database.ts';
import { queryCache } from '../../../platform/db/query-cache.ts';
import { statement } from '../../../platform/db/statement.ts';
import { randomText } from '../../../platform/random.ts';
import type { Call } from '../../../resource/call.ts';
import type { Engine } from '../../../resource/resource.ts';
import { createRow } from '../../../resource/write/write-row.ts';
import type { Client } from './client.ts';

const maxNameLength = 150;
const suffixLength = 8;
const cache = queryCache<number | null>('client accounts');

/**
 * The account that a client, or one of its workloads, acts as by itself; made when it is first needed. It is found by
 * what it was made for never by name, which another user may have.
 */
export async function clientAccount(
  engine: Engine,
  call: Call,
  client: Client,
  workload: { readonly subject: string; readonly name: string } = { subject: '', name: 'client_credentials' },
): Promise<number> {
  const { subject, name } = workload;
  const key = subject === '' ? client.pk : `${client.pk} ${subject}`;
  const known = await cache.read(call.db, key, (query) => find(query, client.pk, subject));
  if (known !== null) return known;
  return call.db.write(async (tx) => {
    await call.db.dialect.exclusive(`oauth2 account ${client.pk} ${subject}`)?.execute(tx);
    const made = await find(tx, client.pk, subject);
    if (made !== null) return made;
    const users = usersIn(engine.registry);
    const { pk } = await createRow(
      { engine, resource: users, call, tx },
      {
        username: await freeName(tx, `gatehouse-${client.name}-${name}`),
        name: `${client.application.name}: ${name}`.slice(0, maxNameLength).toWellFormed(),
        type: 'service_account',
        path: 'gatehouse/service-accounts',
      },
    );
    await sql`insert into oauth2_client_accounts (provider, subject, "user")
      values (${client.pk}, ${subject}, ${pk})`.execute(tx);
    return pk;
  });
}

const accountOf = statement<[provider: number, subject: string], { user: number }>(
  (provider, subject) => sql`select "user" from oauth2_client_accounts
    where provider = ${provider} and subject = ${subject}`,
);

const find = async (query: Query, provider: number, subject: string): Promise<number | null> =>
  (await accountOf(query, provider, subject))[0]?.user ?? null;

async function freeName(tx: Query, wanted: string): Promise<string> {
  const name = wanted.slice(0, maxNameLength).toWellFormed();
  return (await isNameFree(tx, name))
    ? name
    : `${name.slice(0, maxNameLength - suffixLength - 1).toWellFormed()}-${randomText(suffixLength)}`;
}
