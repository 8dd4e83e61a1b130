import { sql } from 'kysely';
import { findBrandOfHost } from '../core/brand/brand-of-host.ts';
import type { Database, Query } from '../platform/db/database.ts';
import { queryCache } from '../platform/db/query-cache.ts';

export const brandFlowNames = [
  'flow_authentication',
  'flow_invalidation',
  'flow_recovery',
  'flow_unenrollment',
  'flow_user_settings',
  'flow_device_code',
] as const;

type BrandFlows = Readonly<Record<(typeof brandFlowNames)[number], string | null>>;

/** The slugs of a brand's enabled flows as columns, for a statement with the alias `b` for brands. */
export const brandFlowColumns = sql.join(
  brandFlowNames.map(
    (name) => sql`(select f.slug from flows f where f.pk = b.${sql.ref(name)} and f.enabled) as ${sql.ref(name)}`,
  ),
);

const cache = queryCache<BrandFlows>('brand flows');

/** The slugs of the flows of this host's brand. */
export const brandFlows = (db: Database, host: string): Promise<BrandFlows> =>
  cache.read(db, host, async (query: Query) => {
    const brand = await findBrandOfHost(host, query);
    const { rows } = await sql<BrandFlows>`select ${brandFlowColumns} from brands b
      where b.pk = ${brand?.pk ?? null}`.execute(query);
    return rows[0] ?? noFlows;
  });

const noFlows: BrandFlows = {
  flow_authentication: null,
  flow_invalidation: null,
  flow_recovery: null,
  flow_unenrollment: null,
  flow_user_settings: null,
  flow_device_code: null,
};
