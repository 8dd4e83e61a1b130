import { sql } from 'kysely';
import type { ProtocolKind } from '../../../flow/protocol-kind.ts';
import type { GuardedFetch } from '../../../platform/fetch/guarded-fetch.ts';
import { loadSources } from '../../../source/load-source.ts';
import { oauthResource } from './oauth-model.ts';
import { getCurrentToken } from './renew-token.ts';

/** The access tokens of a user at enabled sources. A source without a usable token is left out. */
export const accessTokensOf =
  (fetch: GuardedFetch): NonNullable<ProtocolKind['accessTokens']> =>
  async ({ user, objects }, call, registry) => {
    const sources = await loadSources(
      oauthResource(registry),
      (row) => sql`${row.col('enabled')} and ${row.col('pk')} in (${sql.join(objects)})`,
      call,
      call.db.read,
    );
    const found = await Promise.all(
      sources.map(async (source) => [source.slug, await getCurrentToken(fetch, source, user, call, registry)] as const),
    );
    return Object.fromEntries(found.flatMap(([slug, token]) => (token === null ? [] : [[slug, token]])));
  };
