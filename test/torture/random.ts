/** A source of numbers that gives the same ones for the same seed (mulberry32). */
export interface Random {
  /** From 0 up to and without the limit. */
  below(limit: number): number;
  oneOf<T>(values: readonly T[]): T;
}

export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const below = (limit: number) => Math.floor(next() * limit);
  return { below, oneOf: (values) => values[below(values.length)] as (typeof values)[number] };
}
