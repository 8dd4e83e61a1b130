import { sql } from 'kysely';
import type { Outdated } from '../core/cleanup/delete-in-batches.ts';

/**
 * Rows whose `expires` has passed, found by their provider first: every row that is written pays for an index, and one
 * on the expiry alone can be spared.
 */
export const expiredOfProviders = (table: string, name: string): Outdated => ({
  table,
  name,
  where: (now) => sql`provider in (select pk from providers) and expiring and expires <= ${now}`,
});
