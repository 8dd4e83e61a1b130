import { sql } from 'kysely';
import type { Call } from '../../../resource/call.ts';
import { type SourceTokens, wantsTokens } from './claims.ts';
import type { Client } from './client.ts';
import type { OAuthDependencies } from './dependencies.ts';

/**
 * The access tokens of sources that the mappings of these scopes declare. Only for answers that are not stored: the
 * claims of ID tokens are, in clear.
 */
export async function sourceTokensFor(
  { accessTokens }: Pick<OAuthDependencies, 'accessTokens'>,
  call: Call,
  { pk, scopes }: Pick<Client, 'pk' | 'scopes'>,
  user: number,
  scope: readonly string[],
): Promise<SourceTokens> {
  const names = scopes.filter((row) => wantsTokens(row) && scope.includes(row.scope_name)).map(({ name }) => name);
  if (names.length === 0) return {};
  const { rows } = await sql<{ source: string }>`select distinct t.source from mapping_scope_token_sources t
    join property_mappings m on m.pk = t.mapping join provider_property_mappings pm on pm.mapping = m.pk
    where pm.provider = ${pk} and m.name in (${sql.join(names)})`.execute(call.db.read);
  const objects = rows.map(({ source }) => source);
  return objects.length === 0 ? {} : accessTokens({ user, objects }, call);
}
