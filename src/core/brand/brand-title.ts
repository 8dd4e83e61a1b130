import { sql } from 'kysely';
import type { Query } from '../../platform/db/database.ts';
import { findBrandOfHost } from './brand-of-host.ts';
import { defaultBranding } from './branding.ts';

/** The title of the server on this host. */
export async function brandTitle(host: string, query: Query): Promise<string> {
  const brand = await findBrandOfHost(host, query);
  const { rows } = await sql<{ title: string }>`select branding_title as title from brands
    where pk = ${brand?.pk ?? null}`.execute(query);
  return rows[0]?.title || defaultBranding.title;
}
