import { sql } from 'kysely';
import type { Database, Query } from '../../platform/db/database.ts';
import { queryCache } from '../../platform/db/query-cache.ts';

export interface BrandOfHost {
  readonly pk: string;
  readonly domain: string;
}

/** The brand with the longest domain that the host name ends with, else the default brand. */
export async function findBrandOfHost(host: string, query: Query): Promise<BrandOfHost | null> {
  const domains = domainsOf(host);
  const named = domains.length > 0 ? sql` or domain in (${sql.join(domains)})` : sql``;
  const { rows } = await sql<BrandOfHost & { default: boolean }>`select pk, domain, "default" from brands
    where "default"${named}`.execute(query);
  const byDomain = new Map(rows.map((row) => [row.domain, row]));
  const found = domains.find((domain) => byDomain.has(domain));
  const brand = found === undefined ? rows.find((row) => row.default) : byDomain.get(found);
  return brand ? { pk: brand.pk, domain: brand.domain } : null;
}

/** The brand whose domain the host name ends with. */
export async function findNamedBrand(host: string, query: Query): Promise<BrandOfHost | null> {
  const domains = domainsOf(host);
  if (domains.length === 0) return null;
  const { rows } = await sql<BrandOfHost>`select pk, domain from brands where domain in (${sql.join(domains)})
    order by length(domain) desc limit 1`.execute(query);
  return rows[0] ?? null;
}

const maxHostLength = 253;

/** The host name and its parent domains, longest first: a.example.org, example.org, org. */
function domainsOf(host: string): string[] {
  const name = normalDomain(host);
  if (name === '' || name.length > maxHostLength) return [];
  const labels = name.split('.');
  return labels.map((_, index) => labels.slice(index).join('.'));
}

/** Host names are case-insensitive, and a trailing dot changes nothing. */
export const normalDomain = (text: string): string => text.trim().toLowerCase().replace(/\.$/, '');

const cache = queryCache<Record<string, unknown>>('brands');

/** The brand as events show it. */
export const brandFacts = (db: Database, host: string): Promise<Record<string, unknown>> =>
  cache.read(db, host, async (query) => {
    const brand = await findBrandOfHost(host, query);
    if (!brand) return {};
    return { pk: brand.pk.replaceAll('-', ''), app: 'svc_brands', name: `Brand ${brand.domain}`, model_name: 'brand' };
  });
