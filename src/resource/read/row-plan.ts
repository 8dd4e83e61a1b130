import type { RawBuilder } from 'kysely';
import type { NestedColumn } from '../../platform/db/dialect.ts';
import type { RunShape } from '../../platform/db/statement.ts';
import type { ReadContext, Row } from '../fields/field.ts';

/** `full` has everything, `listed` what lists show, `bare` no nested lists that callers may leave out. */
export type PlanView = 'full' | 'listed' | 'bare';

/** How a view of a resource is selected and shown. */
export interface Plan<R = Row> {
  readonly columns: readonly PlanColumn[];
  /** The select list; it has parameters only if the caller may not see everything. */
  readonly list: RawBuilder<unknown>;
  /** Runs pages of a plan that callers share; others are rendered each time. */
  readonly runPage?: RunShape;
  /** The row as the caller sees it. */
  show(raw: Row, context: ReadContext, nested?: boolean): Row;
  /** Shows long nested lists of these rows some objects at a time, so that `show` does not block other requests. */
  showAhead(rows: readonly Row[], context: ReadContext): Promise<void>;
  /** All stored values, including hidden ones. */
  load(raw: Row, context: ReadContext): R;
}

export type PlanColumn = NestedColumn & { readonly expression: RawBuilder<unknown> };
