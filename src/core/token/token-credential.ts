import { sql } from 'kysely';
import { Problem } from '../../lib/problem.ts';
import type { Database } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/statement.ts';
import type { Actor } from '../../resource/access/actor.ts';
import { type ActorRow, actorColumns, loadActor } from '../access/actor.ts';
import { isSuperuserSql } from '../access/rights-sql.ts';

interface TokenRow extends ActorRow {
  readonly is_active: boolean;
  readonly expiring: boolean;
  readonly expires: string | null;
}

const bearerToken = statement<[hash: string], TokenRow>(
  (hash) => sql`select ${actorColumns}, u.is_active, t.expiring, t.expires, ${isSuperuserSql(sql`u.pk`)} as is_superuser
    from tokens t join users u on u.pk = t."user" where t.intent = 'api' and t.audience is null and t.key_hash = ${hash}`,
);

/** The actor of an API token, given its hash. Expiry and the user's state are checked at every use. */
export async function actorOfToken(db: Database, tokenHash: string, now: string): Promise<Actor> {
  const [row] = await bearerToken(db.read, tokenHash);
  const hasExpired = row?.expiring && (row.expires === null || row.expires <= now);
  if (!row?.is_active || hasExpired) throw new Problem('authentication_failed');
  return loadActor(db, row, 'API token');
}
