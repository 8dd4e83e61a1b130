import { sql } from 'kysely';
import type { Query } from '../../platform/db/database.ts';

/** The key and domain of the brand that a host name belongs to: the longest domain that ends it, else the default brand. */
export async function findBrandOfHost(host: string, query: Query): Promise<{ pk: string; domain: string } | null> {
  const { rows } = await sql<{ pk: string; domain: string }>`select pk, domain from brands
    where "default" or domain = ${host} or ${host} like '%.' || domain
    order by case when domain = ${host} or ${host} like '%.' || domain then length(domain) else 0 end desc limit 1`.execute(
    query,
  );
  return rows[0] ?? null;
}

/** The brand as events show it. */
export async function brandFacts(host: string, query: Query): Promise<Record<string, unknown>> {
  const brand = await findBrandOfHost(host, query);
  if (!brand) return {};
  return { pk: brand.pk.replaceAll('-', ''), app: 'svc_brands', name: `Brand ${brand.domain}`, model_name: 'brand' };
}
