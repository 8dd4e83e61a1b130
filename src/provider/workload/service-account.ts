import { sql } from 'kysely';
import { isNameFree } from '../../core/directory/name-keys.ts';
import { usersIn } from '../../core/directory/users.ts';
import type { Query } from '../../platform/db/database.ts';
import { queryCache } from '../../platform/db/query-cache.ts';
import { statement } from '../../platform/db/statement.ts';
import { randomText } from '../../platform/random.ts';
import type { Call } from '../../resource/call.ts';
import type { Engine } from '../../resource/resource.ts';
import { createRow } from '../../resource/write/write-row.ts';
import type { Workload } from './verify-assertion.ts';

const maxNameLength = 150;
const suffixLength = 8;
const cache = queryCache<number | null>('client accounts');

interface Provider {
  readonly pk: number;
  readonly name: string;
  readonly application: { readonly name: string };
}

export type ServiceAccountOf = (engine: Engine, call: Call, provider: Provider, workload: Workload) => Promise<number>;

/**
 * The account that a client or a workload acts as by itself; made when it is first needed. It is found by what it was
 * made for, never by name, which another user may have.
 */
export function createServiceAccounts({ table }: { readonly table: string }): ServiceAccountOf {
  const select = statement<[provider: number, subject: string], { user: number }>(
    (provider, subject) => sql`select "user" from ${sql.table(table)}
      where provider = ${provider} and subject = ${subject}`,
  );
  const find = async (query: Query, provider: number, subject: string): Promise<number | null> =>
    (await select(query, provider, subject))[0]?.user ?? null;

  return async (engine, call, provider, { subject, name }) => {
    const { pk, application } = provider;
    const known = await cache.read(call.db, subject === '' ? pk : `${pk} ${subject}`, (query) =>
      find(query, pk, subject),
    );
    if (known !== null) return known;
    return call.db.write(async (tx) => {
      await call.db.dialect.exclusive(`service account ${pk} ${subject}`)?.execute(tx);
      const made = await find(tx, pk, subject);
      if (made !== null) return made;
      const account = await createRow(
        { engine, resource: usersIn(engine.registry), call, tx },
        {
          username: await freeName(tx, `gatehouse-${provider.name}-${name}`),
          name: `${application.name}: ${name}`.slice(0, maxNameLength).toWellFormed(),
          type: 'service_account',
          path: 'gatehouse/service-accounts',
        },
      );
      await sql`insert into ${sql.table(table)} (provider, subject, "user")
        values (${pk}, ${subject}, ${account.pk})`.execute(tx);
      return account.pk;
    });
  };
}

async function freeName(tx: Query, wanted: string): Promise<string> {
  const name = wanted.slice(0, maxNameLength).toWellFormed();
  return (await isNameFree(tx, name))
    ? name
    : `${name.slice(0, maxNameLength - suffixLength - 1).toWellFormed()}-${randomText(suffixLength)}`;
}
