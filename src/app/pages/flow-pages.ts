import { sql } from 'kysely';
import { findBrandOfHost } from '../../core/brand/brand-of-host.ts';
import type { Query } from '../../platform/db/database.ts';
import { isStorable } from '../../resource/fields/well-formed.ts';
import { type Foreign, nothingForeign } from './shell.ts';

export interface FlowPageFacts {
  readonly exists: boolean;
  readonly foreign: Foreign;
}

/** Whether there is such a flow, and what its steps need from elsewhere. */
export async function factsOfFlowPage(slug: string, query: Query): Promise<FlowPageFacts> {
  if (!isStorable(slug)) return { exists: false, foreign: nothingForeign };
  const { rows } = await sql`select 1 from flows where slug = ${slug}`.execute(query);
  return { exists: rows.length > 0, foreign: nothingForeign };
}

/** Where people sign in who come by this host: with its brand's flow, or with the first that is made for it. */
export async function signInPath(host: string, query: Query, next: string | null): Promise<string> {
  const brand = await findBrandOfHost(host, query);
  const { rows } = await sql<{ slug: string }>`select f.slug from flows f
    left join brands b on b.flow_authentication = f.pk and b.pk = ${brand?.pk ?? null}
    where b.pk is not null or f.designation = 'authentication'
    order by b.pk is null, f.slug limit 1`.execute(query);
  const slug = rows[0]?.slug ?? 'default-authentication-flow';
  return `/if/flow/${encodeURIComponent(slug)}/${next === null ? '' : `?next=${encodeURIComponent(next)}`}`;
}
