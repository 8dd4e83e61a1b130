import { sql } from 'kysely';
import type { Query } from '../../../platform/db/database.ts';

/** What an application needs to sign people in and to stay signed in. */
export const usualScopes: readonly string[] = ['openid', 'email', 'profile', 'offline_access'];

export interface ManagedScope {
  readonly pk: string;
  readonly name: string;
}

/** The shipped scopes among those requested, in that order. */
export async function managedScopes(query: Query, asked: readonly string[]): Promise<ManagedScope[]> {
  if (asked.length === 0) return [];
  const { rows } = await sql<ManagedScope>`select s.pk, s.scope_name as name from mapping_scope s
    join property_mappings m on m.pk = s.pk
    where m.managed is not null and s.scope_name in (${sql.join(asked)})`.execute(query);
  return rows.sort((one, other) => asked.indexOf(one.name) - asked.indexOf(other.name));
}
