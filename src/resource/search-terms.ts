import type { Call } from './call.ts';
import { isStorable } from './fields/well-formed.ts';
import type { Resource } from './resource.ts';

const maxTerms = 10;
/** Longer words are looked for by their beginning: each row is compared with them. */
const maxLetters = 200;
/** So many rows are fetched by their keys and sorted soon. If a search finds more, reading rows in order soon fills a page. */
export const fewRows = 10_000;

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

/** The terms that the search index finds, be they words or two letters. */
export const indexedTerms = (resource: Resource, call: Call): string[] =>
  resource.hasSearchIndex
    ? searchTerms(resource, call).filter((term) => isWord(term) || call.db.dialect.findsPair(term))
    : [];

/** The terms that lead to few rows by the search index, if any does. */
export async function narrowTerms(resource: Resource, call: Call): Promise<string[]> {
  const { read, dialect } = call.db;
  const terms = indexedTerms(resource, call);
  // PostgreSQL knows from its statistics how frequent a word is.
  if (dialect.scans.by === 'time') return terms.filter(isWord);
  for (const term of terms) {
    const { rows } = await dialect.scans.found(resource.table, resource.search ?? [], term, fewRows + 1).execute(read);
    if ((rows[0]?.count ?? 0) <= fewRows) return [term];
  }
  return [];
}
