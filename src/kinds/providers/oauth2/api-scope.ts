import { type RawBuilder, sql } from 'kysely';
import type { Query } from '../../../platform/db/database.ts';
import { checkReach } from '../../../resource/access.ts';
import type { Call } from '../../../resource/call.ts';
import type { CorrectRights, RightsInput } from '../../../resource/visibility.ts';

/** The scope that lets an access token call this server's own API, with all rights of the user who consents. */
export const apiScope = 'gatehouse/api';

/** Whether the mapping `s` gives clients the scope, or access tokens of sources. */
const reachesSql = sql`(s.scope_name = ${apiScope}
  or exists (select 1 from mapping_scope_token_sources t where t.mapping = s.pk))`;

export async function needSuperuser(tx: Query, mappings: readonly string[]): Promise<boolean> {
  if (mappings.length === 0) return false;
  const { rows } = await sql`select 1 from mapping_scope s where s.pk in (${sql.join(mappings)}) and ${reachesSql}
    limit 1`.execute(tx);
  return rows.length > 0;
}

/** Refuses all but superusers: whoever sets up such a client gets to act as the people who use it, here or elsewhere. */
export function checkMayActAsUsers({ actor }: Pick<Call, 'actor'>): void {
  if (actor) checkReach('sign-in', actor);
}

/** What the rule leaves of rights by permission to such mappings. */
export const mappingRights = (input: RightsInput): Promise<CorrectRights> =>
  rightsWithout(
    input,
    (keys) =>
      sql<{ pk: unknown }>`select s.pk from mapping_scope s where s.pk in (${sql.join(keys)}) and ${reachesSql}`,
  );

/** The same for providers with such mappings. */
export const providerRights = (input: RightsInput): Promise<CorrectRights> =>
  rightsWithout(
    input,
    (keys) => sql<{
      pk: unknown;
    }>`select m.provider as pk from provider_property_mappings m join mapping_scope s on s.pk = m.mapping
      where m.provider in (${sql.join(keys)}) and ${reachesSql}`,
  );

async function rightsWithout(
  { actor, keys, query }: RightsInput,
  reachingSql: (keys: readonly unknown[]) => RawBuilder<{ pk: unknown }>,
): Promise<CorrectRights> {
  if (actor.isSuperuser || keys.length === 0) return (_, may) => ({ may });
  const { rows } = await reachingSql(keys).execute(query);
  const reaching = new Set(rows.map(({ pk }) => pk));
  return (key, may) => ({ may: reaching.has(key) ? may.filter((right) => right !== 'change') : may });
}
