import { sql } from 'kysely';
import type { Query } from '../../../platform/db/database.ts';
import type { InstanceKey } from '../../../platform/keys.ts';

/**
 * Marks something that may be used once. False when it was marked before, by any request to any instance. `use` keeps
 * apart what has nothing to do with each other.
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
