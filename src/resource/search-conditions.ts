import { type RawBuilder, sql } from 'kysely';
import type { Call } from './call.ts';
import { isOpenPath } from './open-paths.ts';
import { lookUpPath } from './query.ts';
import type { Registry, Resource } from './resource.ts';
import { isWord, searchTerms } from './search-terms.ts';

interface SearchOptions {
  /** The terms to look for by the search index; all words if it is not given. */
  readonly indexed?: readonly string[];
}

/** Each word of `search` must be contained in one of the search columns. */
export function searchConditions(
  resource: Resource,
  call: Call,
  registry: Registry,
  { indexed }: SearchOptions = {},
): RawBuilder<unknown>[] {
  const { hasSearchIndex, rootTable, family, search = [] } = resource;
  const { dialect } = call.db;
  const isByIndex = (term: string) => hasSearchIndex && (indexed ? indexed.includes(term) : isWord(term));
  return searchTerms(resource, call).map((term) =>
    isByIndex(term)
      ? sql`(${dialect.indexedContains(rootTable, family ? 'b' : 't', search, term)})`
      : sql`(${sql.join(comparisons(resource, term, call, registry), sql` or `)})`,
  );
}

function comparisons(resource: Resource, term: string, call: Call, registry: Registry): RawBuilder<unknown>[] {
  const { dialect } = call.db;
  const row = resource.row();
  const open = (resource.search ?? []).filter((path) => isOpenPath(resource, path, call, registry));
  if (open.length === 0) return [sql`1 = 0`];
  return ownFirst(open).map((path) =>
    lookUpPath(resource, path, row, registry, (column, field) =>
      dialect.contains(
        field && field.storage.in === 'column' && field.storage.type !== 'text' ? dialect.toText(column) : column,
        term,
      ),
    ),
  );
}

/** Another object is looked at only if the row's own columns do not match. */
const ownFirst = (paths: readonly string[]) =>
  paths.toSorted((one, other) => Number(one.includes('.')) - Number(other.includes('.')));
