import { setImmediate } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import { normalizeValue } from '../../../../lib/ldap/dn.ts';
import type { Filter } from '../../../../lib/ldap/filter.ts';
import { type EntryKind, leafIn, type Row, type View } from './entry-kind.ts';
import { type Entry, matches } from './match.ts';
import { type Narrowed, narrow } from './narrow.ts';
import type { Part } from './parts.ts';

/** How far a search has come: everything up to a row of a part has been seen. */
export interface Position {
  readonly part: number;
  readonly after: string | number | null;
}

export interface Found {
  readonly entry: Entry;
  readonly at: Position;
}

interface Walk {
  readonly view: View;
  readonly parts: readonly Part[];
  readonly filter: Filter;
  /** Attributes that are loaded only if the client requests them. */
  readonly wanted: ReadonlySet<string>;
  readonly from: Position;
  /** Whether to give up: the client is gone, or the time is. */
  isOver?(): boolean;
}

/** Matching a filter of many parts takes a while; others get their turn in between. */
const turnMs = 10;

export const start: Position = { part: 0, after: null };

/** The matching entries, in the order of their keys. Reads a few at a time, so that memory stays flat. */
export async function* walkParts(walk: Walk): AsyncGenerator<Found> {
  const { view, parts, filter, wanted, from, isOver = () => false } = walk;
  let turn = Date.now();
  for (let part = from.part; part < parts.length; part++) {
    const current = parts[part];
    if (!current) return;
    let after = part === from.part ? from.after : null;
    if (current.is === 'entry') {
      if (after === null && matches(filter, current.entry)) yield { entry: current.entry, at: { part, after: '' } };
      continue;
    }
    const { kind, name } = current;
    const narrowed = await narrow(filter, leafIn(kind, view));
    const decided = [...narrowed.decided];
    const named = name === null ? sql`1 = 1` : kind.named(view, name);
    if (!named) continue;
    while (true) {
      const rows = await readRows(view, kind, { narrowed, decided, wanted, named, after });
      for (const row of rows) {
        if (Date.now() - turn > turnMs) {
          await setImmediate();
          turn = Date.now();
        }
        if (isOver()) return;
        after = row.pk;
        const entry = await kind.entryOf(view, row, wanted);
        if (name !== null && normalizeValue(entry.attributes.get('cn')?.[0] ?? '') !== name) continue;
        if (!narrowed.isExact && !matches(filter, entry, decisionsOf(row, decided))) continue;
        yield { entry, at: { part, after } };
      }
      if (rows.length < kind.batch) break;
    }
  }
}

interface Reading {
  readonly narrowed: Narrowed;
  readonly decided: readonly (readonly [Filter, RawBuilder<unknown>])[];
  readonly wanted: ReadonlySet<string>;
  readonly named: RawBuilder<unknown>;
  readonly after: string | number | null;
}

async function readRows(
  view: View,
  kind: EntryKind,
  { narrowed, decided, wanted, named, after }: Reading,
): Promise<Row[]> {
  const flags = decided.map(
    ([, condition], index) => sql`, case when ${condition} then 1 else 0 end as ${sql.ref(`decided${index}`)}`,
  );
  const { rows } = await sql<Row>`select ${kind.columns(view, wanted)}${sql.join(flags, sql``)} from ${kind.from}
    where ${kind.visible(view)} and ${named}${narrowed.condition ? sql` and ${narrowed.condition}` : sql``}${
      after === null ? sql`` : sql` and ${kind.key} > ${after}`
    } order by ${kind.key} limit ${kind.batch}`.execute(view.query);
  return rows;
}

function decisionsOf(row: Row, decided: Reading['decided']) {
  const decisions = new Map(decided.map(([part], index) => [part, row[`decided${index}`] === 1]));
  return (part: Filter) => decisions.get(part);
}

/** These rows again, with what is wanted of them. Those that have gone meanwhile are missing. */
export async function readAgain(
  view: View,
  kind: EntryKind,
  keys: readonly (string | number)[],
  wanted: ReadonlySet<string>,
): Promise<Map<string | number, Entry>> {
  const { rows } = await sql<Row>`select ${kind.columns(view, wanted)} from ${kind.from}
    where ${kind.visible(view)} and ${kind.key} in (${sql.join(keys)})`.execute(view.query);
  const entries = new Map<string | number, Entry>();
  for (const row of rows) entries.set(row.pk, await kind.entryOf(view, row, wanted));
  return entries;
}
