import { createHash } from 'node:crypto';

const maxKnown = 2_000;
/** Others (cursors, settings, the schema's own) have no plan that could be kept. */
const isPlanned = /^\s*(select|insert|update|delete|with)\b/i;
/** The plan depends on the term: with one plan for all terms PostgreSQL scans where an index finds. */
const isSearch = / ilike /;

/**
 * Names the statements that are worth preparing; others have no name. A text that comes again is prepared: parsing and
 * planning take most of a short statement's time. A text that comes once (filters in some rare combination) would only
 * take up memory in the database. The name is a hash of the text, so no name ever stands for two texts.
 */
export function createStatementNames(): (text: string) => string {
  const names = new Map<string, string>();
  return (text) => {
    const known = names.get(text);
    if (known) return known;
    // A full map has a first key.
    if (names.size >= maxKnown && known === undefined) names.delete(names.keys().next().value as string);
    const isWorthIt = known === '' && isPlanned.test(text) && !isSearch.test(text);
    const name = isWorthIt ? hashOf(text) : '';
    names.set(text, name);
    return name;
  };
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 24);
