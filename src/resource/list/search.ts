import { type RawBuilder, sql } from 'kysely';
import { isOpenPath } from '../access/open-paths.ts';
import type { Call } from '../call.ts';
import { isStorable } from '../fields/well-formed.ts';
import type { Registry, Resource } from '../resource.ts';
import { lookUpPath } from './query.ts';

const maxTerms = 10;
/** Longer words are compared by their beginning. */
const maxLetters = 200;
/** A trigram index finds terms of three letters or more. */
const minWord = 3;
/** So many rows are looked up by their keys and sorted in a few milliseconds. */
const maxKeys = 10_000;

type Conditions = RawBuilder<unknown>[];

export interface Search {
  /** Selects the rows that are found, whatever else selects them and in any order. */
  readonly conditions: Conditions;
  /** If they are many: what follows `from` to find them by the index, for a count. */
  readonly byIndex: RawBuilder<unknown> | null;
}

/**
 * Each word of `search` must be contained in one of the search columns. The trigram index finds words. If it finds few
 * rows, their keys are the condition. If it finds many, each row is compared with the words while it is read in the
 * order of the list: such a page is soon full.
 */
export async function findBySearch(resource: Resource, call: Call, registry: Registry): Promise<Search> {
  const terms = searchTerms(resource, call);
  const compared = (some: readonly string[]) => some.map((term) => comparison(resource, term, call, registry));
  const words = resource.hasSearchIndex ? terms.filter((term) => [...term].length >= minWord) : [];
  const letters = terms.filter((term) => !words.includes(term));
  if (words.length === 0) return { conditions: compared(terms), byIndex: null };
  const { dialect, read } = call.db;
  const found = dialect.rowsWithWords(resource.table, resource.search ?? [], words);
  const { rows } = await sql<{ pk: string | number }>`select t.pk from ${found} limit ${maxKeys + 1}`.execute(read);
  if (rows.length > maxKeys)
    return { conditions: compared(terms), byIndex: sql.join([found, ...compared(letters)], sql` and `) };
  const keys = rows.map(({ pk }) => pk);
  const isFound = dialect.isOneOf(resource.row().col('pk'), keys, resource.key);
  return { conditions: [isFound, ...compared(letters)], byIndex: null };
}

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

function comparison(resource: Resource, term: string, call: Call, registry: Registry): RawBuilder<unknown> {
  const { dialect } = call.db;
  const row = resource.row();
  const open = (resource.search ?? []).filter((path) => isOpenPath(resource, path, call, registry));
  if (open.length === 0) return sql`1 = 0`;
  const comparisons = ownFirst(open).map((path) =>
    lookUpPath(resource, path, row, registry, (column, field) =>
      dialect.contains(
        field && field.storage.in === 'column' && field.storage.type !== 'text' ? dialect.toText(column) : column,
        term,
      ),
    ),
  );
  return sql`(${sql.join(comparisons, sql` or `)})`;
}

/** Another object is looked at only if the row's own columns do not match. */
const ownFirst = (paths: readonly string[]) =>
  paths.toSorted((one, other) => Number(one.includes('.')) - Number(other.includes('.')));
