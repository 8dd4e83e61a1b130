import { sql } from 'kysely';
import { findBrandOfHost } from '../../core/brand/brand-of-host.ts';
import { flowPage } from '../../flow/executor/challenge.ts';
import type { StageKind } from '../../flow/executor/stage-kind.ts';
import { mergedNeeds, type PageNeeds } from '../../flow/page-needs.ts';
import type { Query } from '../../platform/db/database.ts';
import type { RequestFacts } from '../../platform/http/request-facts.ts';
import type { ProviderKind } from '../../provider/provider-kind.ts';
import { isStorable } from '../../resource/fields/well-formed.ts';

export interface PageKinds {
  readonly stageKinds: readonly StageKind[];
  readonly providerKinds: readonly ProviderKind[];
}

interface FlowRow {
  readonly designation: string;
  readonly stage: string | null;
  readonly kind: string | null;
}

/** External origins that a flow's page needs, by its stage kinds; null when there is no such flow. */
export async function needsOfFlowPage(
  slug: string,
  query: Query,
  { stageKinds, providerKinds }: PageKinds,
): Promise<Required<PageNeeds> | null> {
  const rows = isStorable(slug) ? await flowRows(slug, query) : [];
  const [first] = rows;
  if (!first) return null;
  const needs: PageNeeds[] = [{ data: { designation: first.designation } }];
  for (const { resource, pageNeeds } of stageKinds) {
    const stages = rows.flatMap(({ stage, kind }) => (stage !== null && kind === resource.model ? [stage] : []));
    if (pageNeeds && stages.length > 0) needs.push(await pageNeeds(stages, query));
  }
  // Continues to the application if the user has access.
  if (first.designation === 'authorization') needs.push(...providerKinds.flatMap((kind) => kind.pageNeeds ?? []));
  return mergedNeeds(needs);
}

/** The flow that an admin page offers to walk (`/if/admin/flows/instances/<slug>/?tab=try`). */
export const flowTriedAt = ({ path, query }: Pick<RequestFacts, 'path' | 'query'>): string | null =>
  (query.get('tab') === 'try' && /^\/if\/admin\/flows\/instances\/([-\w]+)\/$/.exec(path)?.[1]) || null;

/** The document of the flow inspector may load what the flow's own page may, and contains that list. */
export const tryingFlow = (slug: string, needs: Required<PageNeeds>): Required<PageNeeds> =>
  mergedNeeds([needs, { data: { triedFlow: slug, ...(needs.services.length > 0 && { hasForeignScripts: 'yes' }) } }]);

/** One row for each stage of the flow, or one without. */
async function flowRows(slug: string, query: Query): Promise<FlowRow[]> {
  const { rows } = await sql<FlowRow>`select f.designation, s.pk as stage, s.kind from flows f
    left join (flow_stage_bindings b join stages s on s.pk = b.stage) on b.target = f.pk
    where f.slug = ${slug} and f.enabled`.execute(query);
  return rows;
}

/** The sign-in flow for this host: that of its brand, or the first with that designation. */
export async function signInPath(host: string, query: Query, next: string | null): Promise<string> {
  const brand = await findBrandOfHost(host, query);
  const { rows } = await sql<{ slug: string }>`select f.slug from flows f
    left join brands b on b.flow_authentication = f.pk and b.pk = ${brand?.pk ?? null}
    where b.pk is not null or (f.designation = 'authentication' and f.enabled)
    order by b.pk is null, f.slug limit 1`.execute(query);
  return flowPage(rows[0]?.slug ?? 'default-authentication-flow', next);
}
