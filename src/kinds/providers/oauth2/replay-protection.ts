import { sql } from 'kysely';
import type { Query } from '../../../platform/db/database.ts';
import type { InstanceKey } from '../../../platform/keys.ts';

/**
 * Replay protection: marks an id as used. False if it was used before, on any instance. `use` separates
 * independent ids.
 */
export async function markUsed(
  tx: Query,
  key: Pick<InstanceKey, 'hash'>,
  { use, id, expires }: { readonly use: string; readonly id: string; readonly expires: string },
): Promise<boolean> {
  const { rows } = await sql`insert into oauth2_seen (pk, expires) values (${key.hash(`${use} ${id}`)}, ${expires})
    on conflict (pk) do nothing returning pk`.execute(tx);
  return rows.length > 0;
}
