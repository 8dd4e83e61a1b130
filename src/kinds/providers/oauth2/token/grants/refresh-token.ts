import { sql } from 'kysely';
import { asObject } from '../../../../../lib/json.ts';
import { statement } from '../../../../../platform/db/statement.ts';
import { type GrantTerms, lockFamily } from '../../grants.ts';
import { OAuthError } from '../../oauth-error.ts';
import { isFapi2 } from '../../security-profile.ts';
import { type GrantKind, GrantReused } from '../grant-kind.ts';

interface RefreshRow {
  readonly pk: number;
  readonly provider: number;
  readonly user: number;
  readonly session: string | null;
  readonly auth_time: string;
  readonly expires: string | null;
  readonly expiring: boolean;
  readonly revoked: boolean;
  readonly scope: string;
  readonly family: string;
  readonly terms: string;
  readonly id_token: string;
}

const byHash = statement<[hash: string], RefreshRow>(
  (
    hash,
  ) => sql`select pk, provider, "user", session, auth_time, expires, expiring, revoked, scope, family, terms, id_token
    from oauth2_refresh_tokens where token_hash = ${hash}`,
);
const markUsed = statement<[pk: number], { pk: number }>(
  (pk) => sql`update oauth2_refresh_tokens set revoked = true where pk = ${pk} and not revoked returning pk`,
);

const standing = statement<[pk: number], { pk: number }>(
  (pk) => sql`select pk from oauth2_refresh_tokens where pk = ${pk} and not revoked`,
);

/**
 * RFC 6749 §6 with RFC 9700 §4.14.2: refresh tokens rotate, and reuse revokes the whole family (replay). FAPI 2.0
 * Security Profile §5.3.2.1: it stays the same, since it is bound to the client's key, and a lost response does no
 * harm.
 */
export const refreshToken: GrantKind = {
  grantType: 'refresh_token',
  isAuthorization: false,
  async redeem({ needs, call, params, by: { client } }) {
    const token = params.require('refresh_token');
    const [row] = await byHash(call.db.read, needs.key.hash(token));
    const isDead = !row || row.provider !== client.pk || (row.expiring && (row.expires ?? '') <= call.now);
    if (isDead) throw new OAuthError('invalid_grant', 'The refresh token is invalid or expired.');
    const isRotated = !isFapi2(client);
    if (row.revoked) {
      if (isRotated) throw new GrantReused(row.family);
      throw new OAuthError('invalid_grant', 'The refresh token is invalid or expired.');
    }
    const granted: string[] = JSON.parse(row.scope);
    const { nonce: _, ...terms }: GrantTerms = JSON.parse(row.terms);
    return {
      user: row.user,
      scope: { allowed: new Set(granted), default: granted },
      family: row.family,
      session: row.session,
      authTime: row.auth_time,
      // OpenID Connect Core §12.2: no nonce after a refresh.
      terms,
      // OpenID Connect Core §12.2: the subject stays the same, even if the user was renamed.
      ...subjectIn(row.id_token),
      gives: { id: true, refresh: isRotated },
      async consume(tx) {
        await lockFamily(call.db, tx, row.family);
        const good = isRotated ? await markUsed(tx, row.pk) : await standing(tx, row.pk);
        if (good.length === 0) throw new GrantReused(row.family);
      },
    };
  },
};

function subjectIn(idToken: string): { readonly subject?: string } {
  const { sub } = asObject(JSON.parse(idToken));
  return typeof sub === 'string' ? { subject: sub } : {};
}
