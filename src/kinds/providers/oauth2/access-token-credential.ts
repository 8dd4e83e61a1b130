import { sql } from 'kysely';
import { type ActorRow, actorColumns, loadActor } from '../../../core/access/actor.ts';
import { isSuperuserSql } from '../../../core/access/rights-sql.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import type { Actor } from '../../../resource/access/actor.ts';
import { apiScope } from './api-scope.ts';
import { hasProvider } from './delete-tokens.job.ts';
import type { GrantTerms } from './grants.ts';

interface GrantRow extends ActorRow {
  readonly is_active: boolean;
  readonly expiring: boolean;
  readonly expires: string | null;
  readonly revoked: boolean;
  readonly scope: string;
  readonly terms: string;
}

/**
 * The actor of an OAuth2 access token; null if the token is invalid or not meant for the API. All conditions are
 * checked at every use.
 */
export async function actorOfAccessToken(
  db: Database,
  key: InstanceKey,
  token: string,
  now: string,
  publicUrl: string,
): Promise<Actor | null> {
  const { rows } =
    await sql<GrantRow>`select ${actorColumns}, u.is_active, t.expiring, t.expires, t.revoked, t.scope, t.terms,
    ${isSuperuserSql(sql`u.pk`)} as is_superuser
    from oauth2_access_tokens t join users u on u.pk = t."user"
    where t.token_hash = ${key.hash(token)} and ${hasProvider(sql`t.provider`)}
      and not exists (select 1 from applications a where a.provider = t.provider and not a.enabled)`.execute(db.read);
  const row = rows[0];
  if (!row?.is_active || row.revoked) return null;
  if (row.expiring && (row.expires === null || row.expires <= now)) return null;
  const { jkt, act, resource = [] }: GrantTerms = JSON.parse(row.terms);
  // RFC 8707 §2: tokens for another audience are rejected, or that service could act as the user here.
  if (resource.length > 0 && !resource.some((one) => isOwnApi(one, publicUrl))) return null;
  // RFC 9449 §7.2: a DPoP-bound token is not accepted as a bearer token.
  if (jkt !== undefined) return null;
  // Impersonation is limited to sessions, where rights are checked and events contain both users.
  if (act) return null;
  const scopes: string[] = JSON.parse(row.scope);
  return scopes.includes(apiScope) ? loadActor(db, row, 'access token') : null;
}

/** Whether a resource that a client has named is this server or its API. */
const isOwnApi = (resource: string, publicUrl: string): boolean => {
  const given = resource.replace(/\/$/, '');
  return given === publicUrl.replace(/\/$/, '') || given === new URL('/api/v3', publicUrl).href;
};
