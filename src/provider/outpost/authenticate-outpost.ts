import { sql } from 'kysely';
import { Problem } from '../../lib/problem.ts';
import type { Database } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/statement.ts';
import type { HttpCall } from '../../platform/http/routes.ts';
import type { InstanceKey } from '../../platform/keys.ts';
import { createSharedNetworkLimit } from '../../platform/limits/shared-rate-limit.ts';
import type { OutpostType } from './outpost-type.ts';

/** An outpost whose process has authenticated. */
export interface OutpostFacts {
  readonly pk: string;
  readonly name: string;
  readonly type: OutpostType;
  /** As stored: JSON. */
  readonly config: string;
  /** The keyed hash of the token that was sent. */
  readonly tokenHash: string;
}

interface Row extends Omit<OutpostFacts, 'tokenHash'> {
  readonly expiring: unknown;
  readonly expires: string | null;
}

const outpostOfToken = statement<[hash: string], Row>(
  (hash) => sql`select o.pk, o.name, o.type, o.config, t.expiring, t.expires
    from tokens t join outposts o on o.token = t.pk join users u on u.pk = t."user"
    where t.key_hash = ${hash} and t.intent = 'api' and u.is_active`,
);

export type AuthenticateOutpost = (http: Pick<HttpCall, 'facts'>, now: string) => Promise<OutpostFacts>;

/** The outpost that the token with this hash belongs to; null once it is revoked, expired or the outpost deleted. */
export async function findOutpost(db: Database, tokenHash: string, now: string): Promise<OutpostFacts | null> {
  const [row] = await outpostOfToken(db.read, tokenHash);
  if (!row || (row.expiring && (row.expires === null || row.expires <= now))) return null;
  return { pk: row.pk, name: row.name, type: row.type, config: row.config, tokenHash };
}

/** Finds the outpost by its own token, and by nothing else. Read on every request, so a revoked token fails at once. */
export function createAuthenticateOutpost(key: Pick<InstanceKey, 'hash'>, db: Database): AuthenticateOutpost {
  const failures = createSharedNetworkLimit({ db, name: 'outpost failures', max: 1_000, windowMs: 60_000 });
  return async ({ facts }, now) => {
    const token = /^bearer +([\w.~+/=-]+) *$/i.exec(facts.header('authorization') ?? '')?.[1];
    const outpost = token === undefined ? null : await findOutpost(db, key.hash(token), now);
    if (outpost) return outpost;
    if (failures.waitAfter(facts.clientIp) > 0) throw new Problem('throttled');
    throw new Problem('authentication_failed', 'The token is missing, or is not that of an outpost.');
  };
}
