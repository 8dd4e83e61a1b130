import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Query } from '../../../platform/db/database.ts';
import type { GuardedFetch } from '../../../platform/fetch/guarded-fetch.ts';
import { nullIfUnreadable, sealContext } from '../../../platform/keys.ts';
import type { Call } from '../../../resource/call.ts';
import type { AccessContext, Registry } from '../../../resource/resource.ts';
import { modelFacts } from '../../../resource/write/audit.ts';
import { updateColumns } from '../../../resource/write/write.ts';
import { SourceRefusal } from '../../../source/source-refusal.ts';
import { clientOf } from './client.ts';
import { discover } from './discovery.ts';
import { endpointsOf } from './endpoints.ts';
import { type OAuthSource, oauthConnectionModel, oauthResource } from './oauth-model.ts';
import { storeDiscovered } from './store-discovered.ts';
import { GrantRefused, renewTokens, type Tokens } from './token-request.ts';

interface Connection {
  readonly pk: number;
  readonly access_token: string | null;
  readonly refresh_token: string | null;
  readonly expires: string | null;
  /** Whether a renewal has failed a moment ago. */
  readonly is_paused: boolean;
}

// Longer than discovery and token request can take together.
const leaseMs = 30_000;
const pauseAfterFailureMs = 30_000;
const pollMs = 200;
const maxPolls = 50;

/** The access token that a user has at a source, renewed if it has expired; null without a valid one. */
export async function getCurrentToken(
  fetch: GuardedFetch,
  source: OAuthSource,
  user: number,
  call: Call,
  registry: Registry,
): Promise<string | null> {
  for (let polls = 0; polls < maxPolls; polls += 1) {
    const connection = await findConnection(source, user, call);
    if (!connection?.access_token) return null;
    const { access_token, refresh_token, expires, is_paused } = connection;
    if (expires === null || expires > call.now) return access_token;
    if (!refresh_token || is_paused) return null;
    const lease = await acquireLease(connection, call);
    if (lease !== null)
      return renewConnection(fetch, source, { ...connection, user, refresh_token, lease }, call, registry);
    // Another request renews it, perhaps on another instance.
    await sleep(pollMs);
  }
  return null;
}

async function findConnection(source: OAuthSource, user: number, { db, now, world }: Call): Promise<Connection | null> {
  const { rows } = await sql<
    Omit<Connection, 'is_paused'> & { paused: number }
  >`select c.pk, c.access_token, c.refresh_token, c.expires,
      case when c.renew_after > ${db.dialect.moment(now)} then 1 else 0 end as paused
    from user_connection_oauth c join user_source_connections u on u.pk = c.pk
    where u.source = ${source.pk} and u."user" = ${user} order by c.pk limit 1`.execute(db.read);
  const [row] = rows;
  if (!row) return null;
  const open = (name: 'access_token' | 'refresh_token') =>
    row[name] ? world.open(row[name], sealContext('user_source_connections', name, row.pk)) : null;
  return nullIfUnreadable(() => ({
    ...row,
    access_token: open('access_token'),
    refresh_token: open('refresh_token'),
    is_paused: row.paused === 1,
  }));
}

/**
 * One renewal at a time, across instances: a refresh token that is used twice may end the whole grant. The lease is
 * known by its end; null if it is taken.
 */
async function acquireLease({ pk, expires }: Connection, { db, now }: Call): Promise<string | null> {
  const { moment } = db.dialect;
  const { rows } = await db.write((tx) =>
    sql<{ renewing_until: string }>`update user_connection_oauth set renewing_until = ${moment(now, leaseMs)}
      where pk = ${pk} and expires = ${expires}
        and (renewing_until is null or renewing_until <= ${moment(now)})
        and (renew_after is null or renew_after <= ${moment(now)})
      returning renewing_until`.execute(tx),
  );
  return rows[0]?.renewing_until ?? null;
}

type Leased = Connection & { readonly user: number; readonly refresh_token: string; readonly lease: string };

async function renewConnection(
  fetch: GuardedFetch,
  source: OAuthSource,
  connection: Leased,
  call: Call,
  registry: Registry,
): Promise<string | null> {
  try {
    const tokens = await requestTokens(fetch, source, connection.refresh_token, call);
    await finishRenewal(connection, call, (tx) => storeTokens(tx, connection, tokens, call, registry));
    return tokens.accessToken;
  } catch (error) {
    if (error instanceof GrantRefused) {
      await finishRenewal(connection, call, (tx) => deleteTokens({ call, registry, tx }, source, connection, error));
      return null;
    }
    const pause = call.db.dialect.moment(call.now, pauseAfterFailureMs);
    await finishRenewal(connection, call, async (tx) => {
      await sql`update user_connection_oauth set renew_after = ${pause} where pk = ${connection.pk}`.execute(tx);
    });
    if (error instanceof SourceRefusal) return null;
    throw error;
  }
}

async function requestTokens(
  fetch: GuardedFetch,
  source: OAuthSource,
  refreshToken: string,
  { db, now }: Call,
): Promise<Tokens> {
  const to = await endpointsOf(
    {
      discover: (wanted) => discover(fetch, wanted),
      keep: (wanted, discovered) => db.write((tx) => storeDiscovered(tx, wanted.pk, discovered)),
    },
    source,
  );
  return renewTokens(fetch, source.name, to, { refreshToken, client: await clientOf(source, now) }, now);
}

/** Releases the lease, and writes unless the user has signed in again meanwhile: those tokens are newer. */
async function finishRenewal(
  { pk, lease, expires }: Leased,
  { db }: Call,
  write: (tx: Query) => Promise<void>,
): Promise<void> {
  await db.write(async (tx) => {
    const { rows } = await sql`update user_connection_oauth set renewing_until = null, renew_after = null
      where pk = ${pk} and renewing_until = ${lease} and expires = ${expires} returning pk`.execute(tx);
    if (rows.length > 0) await write(tx);
  });
}

async function storeTokens(tx: Query, { pk }: Leased, tokens: Tokens, call: Call, registry: Registry): Promise<void> {
  const { accessToken: access_token, refreshToken, expires } = tokens;
  // RFC 6749 §6: without a new refresh token the old one stays good.
  const values = { access_token, expires, ...(refreshToken !== null && { refresh_token: refreshToken }) };
  await updateColumns(registry.require(oauthConnectionModel), pk, values, call, tx);
}

async function deleteTokens(
  { call, registry, tx }: AccessContext,
  source: OAuthSource,
  { pk, user }: Leased,
  { message: why }: GrantRefused,
): Promise<void> {
  const none = { access_token: null, refresh_token: null, expires: null };
  await updateColumns(registry.require(oauthConnectionModel), pk, none, call, tx);
  const resource = oauthResource(registry);
  const message = `The tokens of a user were deleted, because the source no longer renews them. ${why}`;
  const context = { message, user, source: modelFacts(resource, source.pk, source) };
  await call.world.record(tx, call, { action: 'configuration_error', app: resource.app, context });
}
