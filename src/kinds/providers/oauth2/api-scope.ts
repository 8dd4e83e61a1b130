import { sql } from 'kysely';
import type { Query } from '../../../platform/db/database.ts';
import { checkReach } from '../../../resource/access.ts';
import type { Call } from '../../../resource/call.ts';

/** The scope that lets an access token call this server's own API, with all rights of the user who consents. */
export const apiScope = 'gatehouse/api';

/** Whether one of these mappings gives clients the scope, or access tokens of sources. */
export async function needSuperuser(tx: Query, mappings: readonly string[]): Promise<boolean> {
  if (mappings.length === 0) return false;
  const { rows } = await sql`select 1 from mapping_scope s where s.pk in (${sql.join(mappings)})
    and (s.scope_name = ${apiScope} or exists (select 1 from mapping_scope_token_sources t where t.mapping = s.pk))
    limit 1`.execute(tx);
  return rows.length > 0;
}

/** Refuses all but superusers: whoever sets up such a client gets to act as the people who use it, here or elsewhere. */
export function checkMayActAsUsers({ actor }: Pick<Call, 'actor'>): void {
  if (actor) checkReach('sign-in', actor);
}
