import { type RawBuilder, sql } from 'kysely';
import type { Filter } from '../../../../lib/ldap/filter.ts';

type Condition = RawBuilder<unknown>;

/** What SQL says about a part of a filter that is no combination of others. */
export interface Leaf {
  readonly condition: Condition;
  /** Whether exactly the matching rows meet the condition; else others may, too. */
  readonly isExact: boolean;
  /** Whether only SQL can decide it: it is about values that are too many to load. */
  readonly isDecided?: boolean;
}

export type LeafOf = (leaf: Exclude<Filter, { is: 'and' | 'or' | 'not' }>) => Promise<Leaf | null> | Leaf | null;

/** A filter as SQL. */
export interface Narrowed {
  /** Met by all matching rows; null: by every row. */
  readonly condition: Condition | null;
  /** Whether no other rows meet it, so that they need not be matched again. */
  readonly isExact: boolean;
  /** The parts that SQL decides for each row. */
  readonly decided: ReadonlyMap<Filter, Condition>;
}

export const always: Leaf = { condition: sql`1 = 1`, isExact: true };
export const never: Leaf = { condition: sql`1 = 0`, isExact: true };
export const exactly = (condition: Condition): Leaf => ({ condition, isExact: true });
export const roughly = (condition: Condition): Leaf => ({ condition, isExact: false });
export const decidedBy = (condition: Condition): Leaf => ({ condition, isExact: true, isDecided: true });

/** Turns a filter into a condition that finds all matches, by an index where there is one. */
export async function narrow(filter: Filter, leafOf: LeafOf): Promise<Narrowed> {
  const decided = new Map<Filter, Condition>();

  async function visit(part: Filter): Promise<Omit<Narrowed, 'decided'>> {
    switch (part.is) {
      case 'and': {
        const parts = await visitAll(part.of);
        const conditions = parts.flatMap(({ condition }) => condition ?? []);
        const condition = conditions.length > 0 ? sql`(${sql.join(conditions, sql` and `)})` : null;
        return part.of.length === 0 ? always : { condition, isExact: parts.every(({ isExact }) => isExact) };
      }
      case 'or': {
        const parts = await visitAll(part.of);
        if (parts.length === 0) return never;
        const conditions = parts.flatMap(({ condition }) => condition ?? []);
        if (conditions.length < parts.length) return unknown;
        return { condition: sql`(${sql.join(conditions, sql` or `)})`, isExact: parts.every(({ isExact }) => isExact) };
      }
      case 'not': {
        const inner = await visit(part.of);
        return inner.isExact && inner.condition ? exactly(sql`not (${inner.condition})`) : unknown;
      }
      default: {
        const leaf = await leafOf(part);
        if (leaf?.isDecided) decided.set(part, leaf.condition);
        return leaf ?? unknown;
      }
    }
  }

  async function visitAll(parts: readonly Filter[]): Promise<Omit<Narrowed, 'decided'>[]> {
    const visited: Omit<Narrowed, 'decided'>[] = [];
    for (const part of parts) visited.push(await visit(part));
    return visited;
  }

  const narrowed = await visit(filter);
  return { ...narrowed, decided: narrowed.isExact ? new Map() : decided };
}

const unknown = { condition: null, isExact: false } as const;

const plain = /^[!-~]+$/;

/** A condition for a column that holds folded text, by the parts of a filter that folding leaves alone. */
export function containsParts(
  column: Condition,
  { initial, any, final }: Extract<Filter, { is: 'substrings' }>,
): Leaf | null {
  const usable = [initial, ...any, final].filter((part): part is string => part !== null && plain.test(part));
  if (usable.length === 0) return null;
  const escaped = usable.map((part) => part.toLowerCase().replaceAll(/[\\%_]/g, '\\$&'));
  const conditions = escaped.map((part, index) => {
    const pattern = index === 0 && initial === usable[0] ? `${part}%` : `%${part}%`;
    return sql`${column} like ${pattern} escape '\\'`;
  });
  return roughly(sql`(${sql.join(conditions, sql` and `)})`);
}
