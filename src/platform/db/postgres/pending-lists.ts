import { sql } from 'kysely';
import type { Database } from '../database.ts';

/**
 * GIN indexes collect new rows in lists that every search reads through. Brings them into the indexes themselves;
 * returns how many pages they filled. Writers do not wait meanwhile.
 */
export const emptyPendingLists = (write: Database['write']): Promise<number> =>
  write(
    async (tx) => {
      // Shorter than `deadlock_timeout`, after which PostgreSQL may cancel an autovacuum that empties the same list.
      await sql`set local lock_timeout = '500ms'`.execute(tx);
      const { rows } = await sql<{ pages: string }>`select coalesce(sum(gin_clean_pending_list(i.oid)), 0) as pages
        from pg_class i join pg_am on pg_am.oid = i.relam
        where pg_am.amname = 'gin' and i.relkind = 'i' and i.relnamespace = cast(current_schema() as regnamespace)
          and pg_has_role(i.relowner, 'usage')`.execute(tx);
      return Number(rows[0]?.pages);
    },
    { isLong: true },
  );
