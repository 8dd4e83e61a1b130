import { createHash } from 'node:crypto';

/** What is known of a statement by its text. */
export interface StatementFacts {
  /** The name to prepare it under; empty to have it planned for each call. */
  name: string;
  readonly tables: ReadonlySet<string>;
}

const maxCached = 2_000;
/** Others (cursors, settings, the schema's own) have no plan that could be kept. */
const isPlanned = /^\s*(select|insert|update|delete|with)\b/i;
/** The plan depends on the term: with one plan for all terms PostgreSQL scans where an index finds. */
const isSearch = / ilike /;

/**
 * A text that comes again is prepared: parsing and planning take most of a short statement's time. A text that comes once (filters in
 * some rare combination) would only take up memory in the database. The name is a hash of the text, so no name ever stands for two texts.
 */
export function createStatementFacts(): (text: string) => StatementFacts {
  const seen = new Map<string, StatementFacts>();
  return (text) => {
    const known = seen.get(text);
    if (known) {
      if (known.name === '' && isPlanned.test(text) && !isSearch.test(text)) known.name = hashOf(text);
      return known;
    }
    // A full map has a first key.
    if (seen.size >= maxCached) seen.delete(seen.keys().next().value as string);
    const facts = { name: '', tables: tablesIn(text) };
    seen.set(text, facts);
    return facts;
  };
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 24);

function tablesIn(text: string): ReadonlySet<string> {
  // The group is part of every match.
  return new Set([...text.matchAll(/\b(?:from|join|into|update)\s+"?(\w+)"?/gi)].map(([, table]) => table as string));
}
