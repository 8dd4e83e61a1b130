import { sql } from 'kysely';
import { usersIn } from '../core/directory/users.ts';
import { Invalid, messagesOf } from '../lib/problem.ts';
import type { Query } from '../platform/db/database.ts';
import type { Call } from '../resource/call.ts';
import type { Engine, OperationContext } from '../resource/resource.ts';
import { createRow, destroyRow, insertRow } from '../resource/write/write-row.ts';
import { type ExternalIdentity, reportMisconfiguration } from './external-identity.ts';
import type { MappedIdentity } from './properties.ts';

const maxOfName = 136;

/** Makes the user of an account that a source has made up for one session, and the connection to it. */
export async function makeTemporaryUser(
  engine: Engine,
  external: ExternalIdentity,
  { user }: MappedIdentity,
  call: Call,
): Promise<number> {
  const { source, identity, temporaryUntil } = external;
  const expires = temporaryUntil ?? call.now;
  const values = {
    username: `gatehouse-${identity.identifier.slice(0, maxOfName)}-transient`,
    name: user.name ?? '',
    path: user.path,
    type: 'external',
    attributes: {
      ...(typeof user.attributes === 'object' && user.attributes),
      'gatehouse/user/generated': true,
      'gatehouse/user/sources': [source.name],
      'gatehouse/user/delete-on-logout': true,
      'gatehouse/user/expires': Math.floor(Date.parse(expires) / 1000),
    },
  };
  const make = (body: object) =>
    call.db.write((tx) => storeTemporaryUser({ engine, call, tx }, external, body, expires));
  try {
    return await make({ ...values, ...(user.email && { email: user.email }) }).catch((error: unknown) => {
      // Another session or another user has the address. Temporary users need none.
      if (user.email && error instanceof Invalid && Object.hasOwn(error.complaints, 'email')) return make(values);
      throw error;
    });
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    const reasons = Object.entries(error.complaints)
      .map(([member, complaint]) => `${member}: ${messagesOf({ [member]: complaint }).join(' ')}`)
      .join(' ');
    await reportMisconfiguration(external, { message: `No user can be made for a session. ${reasons}` }, call);
    throw Invalid.whole(`No user can be made for this account of ${source.name}.`);
  }
}

async function storeTemporaryUser(
  { engine, call, tx }: Omit<OperationContext, 'resource'>,
  { source, connectionModel, connectionValues, identity }: ExternalIdentity,
  values: object,
  expires: string,
): Promise<number> {
  const { registry } = engine;
  const byServer = { ...call, actor: null };
  const { pk } = await createRow({ engine, resource: usersIn(registry), call: byServer, tx }, values);
  await sql`insert into temporary_users (pk, expires) values (${pk}, ${expires})`.execute(tx);
  const { identifier } = identity;
  const connection = { ...connectionValues, user: pk, source: source.pk, identifier, created: call.now };
  await insertRow(registry.require(connectionModel), connection, byServer, tx);
  return pk;
}

/** Whether the user was for one session, and that is over. */
export async function isOver(query: Query, user: number, now: string): Promise<boolean> {
  const { rows } = await sql`select 1 from temporary_users where pk = ${user} and expires <= ${now}`.execute(query);
  return rows.length > 0;
}

/** A temporary user expires with the last session. */
export async function endTemporaryUser(tx: Query, user: number, now: string): Promise<boolean> {
  const { rows } = await sql`update temporary_users set expires = ${now} where pk = ${user} and expires > ${now}
    and not exists (select 1 from authenticated_sessions s where s."user" = ${user}) returning pk`.execute(tx);
  return rows.length > 0;
}

/** Deletes the users that are over, each with its event; how many those were. */
export async function deleteTemporaryUsers(engine: Engine, call: Call, signal: AbortSignal): Promise<number> {
  const users = usersIn(engine.registry);
  const { rows } = await sql<{ pk: number }>`select pk from temporary_users where expires <= ${call.now}
    order by expires limit 1000`.execute(call.db.read);
  let count = 0;
  for (const { pk } of rows) {
    if (signal.aborted) break;
    await call.db.write(async (tx) => {
      const current = await engine.stored(users, call)(call, tx, pk);
      if (current) await destroyRow({ engine, resource: users, call, tx }, pk, current);
    });
    count += 1;
  }
  return count;
}
