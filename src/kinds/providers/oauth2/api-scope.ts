import { type RawBuilder, sql } from 'kysely';
import { giveRight } from '../../../core/access/delegation.ts';
import type { Query } from '../../../platform/db/database.ts';
import { checkSuperuser } from '../../../resource/access/access.ts';
import type { CorrectRights, RightsInput } from '../../../resource/access/visibility.ts';
import type { Call } from '../../../resource/call.ts';

/** The scope that lets an access token call this server's own API, with all rights of the user who consents. */
export const apiScope = 'gatehouse/api';

/** Whether the mapping `s` gives clients the scope, or access tokens of sources. */
const reachesSql = sql`(s.scope_name = ${apiScope}
  or exists (select 1 from mapping_scope_token_sources t where t.mapping = s.pk))`;

const reachingMappings = (keys: readonly unknown[]) =>
  sql<{ pk: unknown }>`select s.pk from mapping_scope s where s.pk in (${sql.join(keys)}) and ${reachesSql}`;

/** Whether one of these mappings does. */
export async function requireSuperuser(tx: Query, mappings: readonly string[]): Promise<boolean> {
  return mappings.length > 0 && (await reachingMappings(mappings).execute(tx)).rows.length > 0;
}

/** Requires a superuser: such a client acts as the users who use it (privilege escalation). */
export function checkMayActAsUsers({ actor }: Pick<Call, 'actor'>): void {
  if (actor) checkSuperuser(actor);
}

/** What the rule leaves of rights by permission to such mappings, and the right to have providers use the others. */
export async function mappingRights(input: RightsInput): Promise<CorrectRights> {
  const reaching = await reachingAmong(input, reachingMappings);
  return (key, may) => ({ may: reaching.has(key) ? withoutChange(may) : [...may, giveRight] });
}

/** The same for providers with such mappings. */
export async function providerRights(input: RightsInput): Promise<CorrectRights> {
  const reaching = await reachingAmong(
    input,
    (keys) => sql<{
      pk: unknown;
    }>`select m.provider as pk from provider_property_mappings m join mapping_scope s on s.pk = m.mapping
      where m.provider in (${sql.join(keys)}) and ${reachesSql}`,
  );
  return (key, may) => ({ may: reaching.has(key) ? withoutChange(may) : may });
}

const withoutChange = (may: readonly string[]) => may.filter((right) => right !== 'change');

/** Those that are beyond the caller: none for superusers. */
async function reachingAmong(
  { actor, keys, query }: RightsInput,
  reachingSql: (keys: readonly unknown[]) => RawBuilder<{ pk: unknown }>,
): Promise<ReadonlySet<unknown>> {
  if (actor.isSuperuser || keys.length === 0) return new Set();
  const { rows } = await reachingSql(keys).execute(query);
  return new Set(rows.map(({ pk }) => pk));
}
