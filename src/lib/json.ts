/** What JSON can hold. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A copy of what is stored as JSON anyway; for small values faster than `structuredClone`. */
export const copyJson = <T>(value: T): T => JSON.parse(JSON.stringify(value));

/** Whether objects and lists are nested in more levels than these: what is should not be walked by functions that call themselves. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
}
