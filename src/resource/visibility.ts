import type { RawBuilder } from 'kysely';
import type { Actor } from './actor.ts';
import type { Call } from './call.ts';
import type { RowAlias } from './fields/field.ts';

/** Which rows of a resource a caller can see. */
export type Visibility =
  /** Rows on which the caller holds `view`, globally or one by one. */
  | { readonly by: 'permission'; readonly always?: (row: RowAlias) => RawBuilder<unknown> }
  /** A superuser sees all, others their own; strangers' rows do not exist for them. */
  | {
      readonly by: 'owner';
      readonly column: string;
      readonly write: OwnerWrite;
      /** Who may create rows: holders of the permission unless said otherwise. */
      readonly create?: 'anyone signed in';
      /** What holds besides; rows for which it does not hold exist for nobody. */
      readonly always?: (row: RowAlias, call: Call) => RawBuilder<unknown>;
    }
  /** A rule of its own: null means every row. */
  | {
      readonly by: 'rule';
      readonly where: (actor: Actor, row: RowAlias, call: Call) => Promise<RawBuilder<unknown> | null>;
    }
  /** Superusers see and write every row; nobody else sees any. */
  | { readonly by: 'superuser' }
  /** Every signed-in caller sees every row. */
  | { readonly by: 'anyone signed in' };

/** `owner`: the owner or a superuser; `only owner`: not even a superuser; `permission`: the verb's permission on top. */
export type OwnerWrite = 'owner' | 'only owner' | 'permission';
