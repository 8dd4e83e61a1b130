import { mergedNeeds, type PageNeeds } from '../flow/page-needs.ts';
import type { Query } from '../platform/db/database.ts';
import type { SourceKind } from './source-kind.ts';

/** External origins needed by a page that offers these sources. */
export async function needsOfSources(
  kinds: readonly SourceKind[],
  sources: readonly { readonly pk: string; readonly kind: string }[],
  query: Query,
): Promise<PageNeeds> {
  const all: PageNeeds[] = [];
  for (const kind of kinds) {
    const own = sources.filter((source) => source.kind === kind.resource.model).map(({ pk }) => pk);
    const needs = own.length > 0 ? await kind.pageNeeds?.(own, query) : undefined;
    if (needs) all.push(needs);
  }
  return mergedNeeds(all);
}
