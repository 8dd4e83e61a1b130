import { type RawBuilder, sql } from 'kysely';
import type { Dialect } from '../platform/db/dialect.ts';
import type { Call } from './call.ts';
import { isStorable } from './fields/well-formed.ts';
import { lookUpPath } from './query.ts';
import type { Registry, Resource } from './resource.ts';

const maxTerms = 10;
/** Longer words are looked for by their beginning: each row is compared with them. */
const maxLetters = 200;

/** The words of `search`. */
export function searchTerms(resource: Resource, { request: { query } }: Call): string[] {
  const text = query.get('search') ?? '';
  if (!resource.search?.length || !isStorable(text)) return [];
  return text
    .split(/[\s,]+/)
    .filter(Boolean)
    .slice(0, maxTerms)
    .map((term) => [...term].slice(0, maxLetters).join(''));
}

/** Whether a term is so long that a search index finds it, however many rows it leads to. */
export const isWord = (term: string): boolean => [...term].length > 2;

/** Whether a search index finds a term, be it a word or two letters. */
export const isIndexed = ({ searchIndex }: Resource, term: string, dialect: Dialect): boolean =>
  searchIndex !== undefined && (isWord(term) || dialect.findsPair(term));

interface SearchOptions {
  /** The terms to look for by the search index; all words if it is not given. */
  readonly indexed?: readonly string[];
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
  { indexed: terms }: SearchOptions,
): RawBuilder<unknown>[] {
  const row = resource.row();
  const isByIndex = terms ? terms.includes(term) : isWord(term);
  const indexed = (isByIndex && resource.searchIndex) || [];
  const conditions: RawBuilder<unknown>[] = [];
  if (indexed.length > 0) {
    const alias = resource.family ? 'b' : 't';
    conditions.push(dialect.indexedContains(resource.rootTable, alias, indexed, term));
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
