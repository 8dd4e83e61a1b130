import { sql } from 'kysely';
import type { Query } from '../../../platform/db/database.ts';
import { stampSql } from '../../../platform/db/postgres/stamps.ts';
import { statement } from '../../../platform/db/statement.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import { hasProvider } from './delete-tokens.job.ts';
import { areActorsActive, type GrantTerms } from './grants.ts';

/** A token that is not expired or revoked. The caller checks its user and client. */
export interface ActiveToken {
  readonly pk: number;
  readonly provider: number;
  readonly user: number;
  readonly session: string | null;
  readonly created: string;
  readonly auth_time: string;
  /** Null: never. */
  readonly expires: string | null;
  readonly scope: readonly string[];
  readonly family: string;
  readonly terms: GrantTerms;
  /** The claims of the ID token that was made with it. */
  readonly claims: Readonly<Record<string, unknown>>;
  readonly username: string;
  readonly isUserActive: boolean;
  /** Of the moment it was read; see `Database.sawStamp`. */
  readonly stamp: number | null;
}

interface TokenRow extends Omit<ActiveToken, 'scope' | 'terms' | 'claims' | 'isUserActive'> {
  readonly expiring: boolean;
  readonly revoked: boolean;
  readonly scope: string;
  readonly terms: string;
  readonly id_token: string;
  readonly is_active: boolean;
}

type TokenTable = 'oauth2_access_tokens' | 'oauth2_refresh_tokens';

const byHash = (table: TokenTable) =>
  statement<[hash: string], TokenRow>(
    (
      hash,
    ) => sql`select t.pk, t.provider, t."user", t.session, t.created, t.auth_time, t.expires, t.expiring, t.revoked, t.scope,
      t.family, t.terms, t.id_token, u.username, u.is_active, ${stampSql} as stamp
      from ${sql.table(table)} t join users u on u.pk = t."user" 
      where t.token_hash = ${hash} and ${hasProvider(sql`t.provider`)}`,
  );
const accessTokenByHash = byHash('oauth2_access_tokens');
const refreshTokenByHash = byHash('oauth2_refresh_tokens');

type Hash = Pick<InstanceKey, 'hash'>;

/** Null for an unknown, expired or revoked token, without saying which. */
export const findAccessToken = (query: Query, key: Hash, token: string, now: string): Promise<ActiveToken | null> =>
  find(accessTokenByHash, query, key, token, now);

export const findRefreshToken = (query: Query, key: Hash, token: string, now: string): Promise<ActiveToken | null> =>
  find(refreshTokenByHash, query, key, token, now);

async function find(
  select: typeof accessTokenByHash,
  query: Query,
  key: Hash,
  token: string,
  now: string,
): Promise<ActiveToken | null> {
  const [row] = await select(query, key.hash(token));
  if (!row || row.revoked || (row.expiring && (row.expires === null || row.expires <= now))) return null;
  const { expiring, revoked, scope, id_token, expires, is_active: isUserActive, ...rest } = row;
  const terms: GrantTerms = JSON.parse(row.terms);
  if (terms.actors && !(await areActorsActive(query, terms.actors))) return null;
  return {
    ...rest,
    expires: expiring ? expires : null,
    scope: JSON.parse(scope),
    terms,
    claims: JSON.parse(id_token),
    isUserActive,
  };
}
