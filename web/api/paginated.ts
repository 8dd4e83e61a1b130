import type { Pagination } from './types.ts';

/** A page of a list. */
export interface Paginated<T> {
  readonly pagination: Pagination;
  readonly results: readonly T[];
}
