import type { Position } from './walk-parts.ts';

/** What a paged search goes on with. */
export interface Page {
  /** The search that it is a page of. */
  readonly search: string;
  readonly from: Position;
  readonly sent: number;
  /** The positions that are left, in the order that the client wanted. */
  readonly sorted: readonly Position[] | null;
}
