import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { toTimestamp } from '../src/platform/clock.ts';
import { insertMany, times } from './bulk.ts';
import type { Loading } from './loading.ts';

const providerCount = 10;
const dayMs = 86_400_000;

/** Access tokens of a few providers, spread over all users. None when there are no OAuth2 providers yet. */
export async function loadAccessTokens({ tx, world, make }: Loading, count: number): Promise<number[]> {
  const flow = await make('svc_flows.flow', {
    name: 'bench',
    slug: 'bench',
    title: 'Bench',
    designation: 'authorization',
  });
  const providers: number[] = [];
  for (let index = 0; index < providerCount; index++) {
    const name = `provider-${index}`;
    const redirect_uris = [{ matching_mode: 'strict', url: `https://${name}.example.com/callback` }];
    const pk = await make('svc_providers_oauth2.oauth2provider', { name, authorization_flow: flow, redirect_uris });
    if (pk === null) return [];
    providers.push(pk as number);
  }
  const users = await sql<{ pk: number }>`select pk from users order by pk limit 10000`.execute(tx);
  const now = Date.now();
  const tokens = times(count, (index) => ({
    provider: providers[index % providerCount],
    user: users.rows[index % users.rows.length]?.pk,
    session: null,
    created: toTimestamp(now - index * 1000),
    auth_time: toTimestamp(now - index * 1000),
    expires: toTimestamp(now + dayMs - index * 1000),
    expiring: world.db.dialect.name === 'sqlite' ? 1 : true,
    scope: JSON.stringify(['openid', 'email', 'profile']),
    family: randomUUID(),
    terms: '{}',
    token_hash: randomUUID(),
    id_token: JSON.stringify({ iss: 'https://idp.example.com/', sub: `subject-${index}`, aud: 'client' }),
    revoked: world.db.dialect.name === 'sqlite' ? 0 : false,
  }));
  await insertMany(tx, world.db.dialect.name, 'oauth2_access_tokens', tokens);
  return providers;
}
