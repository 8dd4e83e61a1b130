import { type Complaints, Invalid } from '../../lib/problem.ts';
import type { Operation } from '../document/operation.ts';
import { isStorable, unstorable } from '../fields/well-formed.ts';

/** Parses a query flag: true/false or 1/0 in any case. */
export function readFlag(text: string | null | undefined): boolean | null {
  if (!text) return null;
  const word = text.trim().toLowerCase();
  if (word === 'true' || word === '1') return true;
  return word === 'false' || word === '0' ? false : null;
}

/** Whether a query flag is set. */
export const hasFlag = (query: URLSearchParams, name: string): boolean => readFlag(query.get(name)) === true;

/** Whether `download` is present: bare, or true. */
export const asksForFile = (query: URLSearchParams): boolean =>
  query.has('download') && readFlag(query.get('download')) !== false;

/** Lists answer for these themselves, as for other values that they do not know. */
const ofLists: ReadonlySet<string> = new Set(['ordering', 'page', 'page_size', 'search']);

/**
 * Refuses filters by what no column holds, and unreadable flags: if `dry_run=yes` were ignored, the call would write.
 */
export function checkQuery({ method, parameters }: Operation, query: URLSearchParams): void {
  if (query.size === 0) return;
  const complaints: Complaints = {};
  if (method === 'GET') {
    for (const [name, text] of query) if (!ofLists.has(name) && !isStorable(text)) complaints[name] = [unstorable];
  }
  for (const { name, in: place, schema, allowEmptyValue } of parameters) {
    if (place !== 'query' || schema.type !== 'boolean' || !query.has(name)) continue;
    const texts = query.getAll(name);
    const isEmpty = texts[0]?.trim() === '';
    if (texts.length > 1) complaints[name] = ['Give this parameter only once.'];
    else if (isEmpty ? !allowEmptyValue : readFlag(texts[0]) === null) {
      complaints[name] = ['Must be a valid boolean: true, false, 1 or 0.'];
    }
  }
  if (Object.keys(complaints).length > 0) throw new Invalid(complaints);
}
