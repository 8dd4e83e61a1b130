import { sql } from 'kysely';
import { addMilliseconds } from '../../../platform/clock.ts';
import type { Database, Query } from '../../../platform/db/database.ts';
import { queryCache } from '../../../platform/db/query-cache.ts';
import { statement } from '../../../platform/db/statement.ts';
import type { Client } from './client.ts';
import { OAuthError } from './oauth-error.ts';
import type { PublicJwk, Signer, SigningKey } from './signing.ts';

/**
 * So much longer than the token that most tokens need not write it again; little, since keys are also replaced because
 * they leaked.
 */
const slackMs = 10 * 60_000;

const keysOf = statement<[provider: number], { kid: string; expires: string }>(
  (provider) => sql`select kid, expires from oauth2_published_keys where provider = ${provider}`,
);

/** By provider, until when each key is published at least. */
const cache = queryCache<ReadonlyMap<string, string>>('published keys');

/**
 * Records until when something signed by a key is valid: the key stays published until then, even if the pair changes.
 */
export async function publishKey(
  db: Database,
  tx: Query,
  { pk: provider }: Pick<Client, 'pk'>,
  { kid, jwk }: SigningKey,
  until: string,
): Promise<void> {
  if (kid === null) return;
  const published = await cache.read(db, provider, async (query) => {
    const rows = await keysOf(query, provider);
    return new Map(rows.map(({ kid: known, expires }) => [known, expires]));
  });
  if ((published.get(kid) ?? '') >= until) return;
  const expires = addMilliseconds(until, slackMs);
  await sql`insert into oauth2_published_keys (provider, kid, jwk, expires)
    values (${provider}, ${kid}, ${JSON.stringify(jwk)}, ${expires})
    on conflict (provider, kid) do update set jwk = excluded.jwk, expires = excluded.expires`.execute(tx);
}

/**
 * The public keys by which tokens of a client are verified: the current signing key, then keys whose tokens are still
 * valid.
 */
export async function publicKeys(query: Query, signer: Signer, client: Client, now: string): Promise<PublicJwk[]> {
  const { rows } = await sql<{ jwk: string }>`select jwk from oauth2_published_keys
    where provider = ${client.pk} and expires > ${now} order by expires desc`.execute(query);
  const keys = [currentKey(signer, client), ...rows.map(({ jwk }): PublicJwk => JSON.parse(jwk))];
  const byKid = new Map<unknown, PublicJwk>();
  for (const jwk of keys) if (jwk && !byKid.has(jwk.kid)) byKid.set(jwk.kid, jwk);
  return [...byKid.values()];
}

function currentKey(signer: Signer, client: Client): PublicJwk | null {
  try {
    return signer.keyOf(client).jwk;
  } catch (error) {
    // A provider that cannot sign publishes no key; earlier keys are in the table.
    if (error instanceof OAuthError) return null;
    throw error;
  }
}
