import { type RawBuilder, sql } from 'kysely';
import type { Slice } from '../platform/db/dialect.ts';
import type { Call } from './call.ts';
import { isStorable } from './fields/well-formed.ts';
import { lookUpPath } from './query.ts';
import type { Registry, Resource } from './resource.ts';

/** Shorter terms have no entry in a search index. */
const minIndexedLength = 3;
const maxTerms = 10;

/** The words of `search`. */
export function searchTerms(resource: Resource, { request: { query } }: Call): string[] {
  const text = query.get('search') ?? '';
  if (!resource.search?.length || !isStorable(text)) return [];
  return text
    .split(/[\s,]+/)
    .filter(Boolean)
    .slice(0, maxTerms);
}

/** The columns whose search index finds a term. */
export const indexedColumns = ({ searchIndex = [] }: Resource, term: string): readonly string[] =>
  term.length >= minIndexedLength ? searchIndex : [];

interface SearchOptions {
  /** Without the search index: for a condition that most rows meet. */
  readonly isPlain?: boolean;
  /** For these rows alone. */
  readonly slice?: Slice | undefined;
}

/** Each word of `search` must be contained in one of the search columns. */
export function searchConditions(
  resource: Resource,
  call: Call,
  registry: Registry,
  options: SearchOptions = {},
): RawBuilder<unknown>[] {
  return searchTerms(resource, call).map(
    (term) => sql`(${sql.join(termConditions(resource, term, call, registry, options), sql` or `)})`,
  );
}

function termConditions(
  resource: Resource,
  term: string,
  { db: { dialect } }: Call,
  registry: Registry,
  { isPlain, slice }: SearchOptions,
): RawBuilder<unknown>[] {
  const row = resource.row();
  const indexed = isPlain ? [] : indexedColumns(resource, term);
  const conditions: RawBuilder<unknown>[] = [];
  if (indexed.length > 0) {
    const alias = resource.family ? 'b' : 't';
    conditions.push(dialect.indexedContains(resource.rootTable, alias, indexed, term, slice));
  }
  for (const path of ownFirst(resource.search ?? []).filter((path) => !indexed.includes(path))) {
    conditions.push(
      lookUpPath(resource, path, row, registry, (column, field) =>
        dialect.contains(
          field && field.storage.in === 'column' && field.storage.type !== 'text' ? dialect.toText(column) : column,
          term,
        ),
      ),
    );
  }
  return conditions;
}

/** Another object is looked at only if the row's own columns do not match. */
const ownFirst = (paths: readonly string[]) =>
  paths.toSorted((one, other) => Number(one.includes('.')) - Number(other.includes('.')));
