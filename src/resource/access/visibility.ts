import type { RawBuilder } from 'kysely';
import type { Query } from '../../platform/db/database.ts';
import type { Call } from '../call.ts';
import type { Row, RowAlias } from '../fields/field.ts';
import type { Actor } from './actor.ts';

/** Null: every row. */
type Condition = RawBuilder<unknown> | null;

export type Visibility =
  /** Rows on which the caller holds `view`, globally or one by one. */
  | {
      readonly by: 'permission';
      /** An additional condition; rows that do not meet it are hidden from every caller. */
      readonly always?: (row: RowAlias, call: Call) => Condition | Promise<Condition>;
    }
  /** Superusers see all rows, others their own; other users' rows do not exist for them. */
  | {
      readonly by: 'owner';
      readonly column: string;
      readonly write: OwnerWrite;
      /** Who may create rows; by default holders of the permission. */
      readonly create?: 'anyone signed in';
      /** An additional condition; rows that do not meet it are hidden from every caller. */
      readonly always?: (row: RowAlias, call: Call) => RawBuilder<unknown>;
    }
  /** A custom rule; null means every row. */
  | {
      readonly by: 'rule';
      readonly where: (actor: Actor, row: RowAlias, call: Call) => Promise<RawBuilder<unknown> | null>;
    }
  /** Superusers see and write every row; other callers see none. */
  | { readonly by: 'superuser' }
  /** Every signed-in caller sees every row. */
  | { readonly by: 'anyone signed in' };

/**
 * `owner`: the owner or a superuser; `only owner`: not even a superuser; `permission`: also requires the permission.
 */
export type OwnerWrite = 'owner' | 'only owner' | 'permission';

/** What callers who may not view a row see empty where it is nested in another object. */
export interface NestedPrivacy {
  readonly members: readonly string[];
  /** The keys of rows that the caller sees without a permission. */
  ownRows(actor: Actor): RawBuilder<unknown>;
}

/** Rows whose rights are corrected. */
export interface RightsInput<Registry = unknown> {
  readonly actor: Actor;
  readonly keys: readonly unknown[];
  /** The columns of one of the rows. */
  valuesOf(key: unknown): Row;
  readonly registry: Registry;
  readonly query: Query;
  readonly call: Call;
}

export interface RowRights {
  /** Why the caller may not change or delete the row although they hold the permission. */
  readonly why?: string;
  /** `change`, `delete`, permissions of actions, and what else a page offers. */
  readonly may: readonly string[];
  /** Members that take further permissions to change, although the caller may change the row. */
  readonly fixed?: readonly string[];
}

/** The rights on one row, given those by permission. */
export type CorrectRights = (key: unknown, may: readonly string[]) => RowRights;
