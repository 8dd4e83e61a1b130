import { sql } from 'kysely';
import type { KeySet } from '../../../flow/protocol-kind.ts';
import type { Query } from '../../../platform/db/database.ts';

/** The keys of enabled sources, for tokens that workloads of the other service sign. */
export async function sourceKeySets(sources: readonly string[], query: Query): Promise<KeySet[]> {
  const { rows } = await sql<KeySet>`select s.pk as source, o.oidc_jwks as jwks, o.oidc_jwks_url as url
    from sources s join source_oauth o on o.pk = s.pk
    where s.pk in (${sql.join(sources)}) and s.enabled order by s.pk`.execute(query);
  return rows;
}
