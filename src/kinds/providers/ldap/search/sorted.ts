import { limits } from '../server/limits.ts';
import type { SortKey } from './controls.ts';
import type { View } from './entry-kind.ts';
import { comparable, type Entry, orderOf } from './match.ts';
import type { Part } from './parts.ts';
import { type Found, type Position, readAgain, walkParts } from './walk-parts.ts';

type Walk = Parameters<typeof walkParts>[0];

interface Sortable {
  readonly at: Position;
  readonly values: readonly (string | null)[];
}

/** The positions of the matching entries in the order that a client wants; null if there are too many. */
export async function sortFound(
  walk: Walk,
  keys: readonly SortKey[],
  isOver: () => boolean,
): Promise<Position[] | null> {
  const found: Sortable[] = [];
  for await (const { entry, at } of walkParts({ ...walk, wanted: new Set() })) {
    if (found.length >= limits.sorted || isOver()) return null;
    found.push({ at, values: keys.map(({ type }) => firstOf(entry, type)) });
  }
  if (isOver()) return null;
  return found.sort((left, right) => compare(keys, left, right)).map(({ at }) => at);
}

function firstOf({ attributes }: Entry, type: string): string | null {
  const value = attributes.get(type)?.[0];
  return value === undefined ? null : comparable(type, value);
}

/** What has no value comes last (RFC 2891, section 2.2). */
function compare(keys: readonly SortKey[], left: Sortable, right: Sortable): number {
  for (const [index, { type, isReverse }] of keys.entries()) {
    const one = left.values[index] ?? null;
    const other = right.values[index] ?? null;
    if (one === other) continue;
    if (one === null || other === null) return (one === null) === isReverse ? -1 : 1;
    const order = orderOf(type, one, other);
    if (order !== 0) return isReverse ? -order : order;
  }
  return 0;
}

const inOneGo = 100;

/** The entries at these positions, in their order. */
export async function* readSorted(
  view: View,
  parts: readonly Part[],
  positions: readonly Position[],
  wanted: ReadonlySet<string>,
): AsyncGenerator<Found> {
  for (let from = 0; from < positions.length; from += inOneGo) {
    const chunk = positions.slice(from, from + inOneGo);
    const entries = new Map<Position, Entry>();
    for (const [index, part] of parts.entries()) {
      const here = chunk.filter((position) => position.part === index);
      if (here.length === 0) continue;
      if (part.is === 'entry') {
        for (const position of here) entries.set(position, part.entry);
        continue;
      }
      const keys = here.flatMap(({ after }) => after ?? []);
      const read = await readAgain(view, part.kind, keys, wanted);
      for (const position of here) {
        const entry = position.after === null ? undefined : read.get(position.after);
        if (entry) entries.set(position, entry);
      }
    }
    for (const at of chunk) {
      const entry = entries.get(at);
      if (entry) yield { entry, at };
    }
  }
}
