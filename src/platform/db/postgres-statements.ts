import { createHash } from 'node:crypto';

/** Names for statements that are worth preparing. */
export interface StatementNames {
  /** The name to prepare the text under, or undefined to have it planned for this call alone. */
  nameOf(text: string): string | undefined;
}

const mostRemembered = 2_000;
/** Others (cursors, settings, the schema's own) have no plan that could be kept. */
const isPlanned = /^\s*(select|insert|update|delete|with)\b/i;
/** The plan depends on the term: with one plan for all terms PostgreSQL scans where an index finds. */
const isSearch = / ilike /;

/**
 * A text that comes again is prepared: parsing and planning take most of a short statement's time. A text that comes once (filters in
 * some rare combination) would only take up memory in the database. The name is a hash of the text, so no name ever stands for two texts.
 */
export function createStatementNames(): StatementNames {
  /** Empty where there is no name, or none yet. */
  const seen = new Map<string, string>();
  return {
    nameOf(text) {
      const known = seen.get(text);
      if (known) return known;
      const isFirst = known === undefined;
      if (isFirst && seen.size >= mostRemembered) seen.delete(seen.keys().next().value as string);
      const name = isFirst || !isPlanned.test(text) || isSearch.test(text) ? '' : hashOf(text);
      seen.set(text, name);
      return name || undefined;
    },
  };
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 24);
