import { sql } from 'kysely';
import type { Query } from '../../../platform/db/database.ts';
import type { Discovered } from './discovery.ts';

/** Stores what a source publishes; what an administrator has set stands elsewhere and stays. */
export async function storeDiscovered(tx: Query, pk: string, discovered: Discovered): Promise<void> {
  await sql`update source_oauth set oidc_discovered = ${JSON.stringify(discovered)} where pk = ${pk}`.execute(tx);
}
