import type { RawBuilder } from 'kysely';
import type { RowAlias } from '../fields/field.ts';

/**
 * What rows affect beyond themselves. `sign-in`: how users sign in. While users sign in through a row, only superusers
 * write it, because writing it leads to any account (`sign-in-use.ts`).
 */
export type Reach = 'sign-in';

/**
 * Which rows users sign in through, whatever refers to them: all, those with the member `enabled`, or those that meet a
 * condition. What callers other than superusers create is not enabled.
 */
export type SignsIn = 'always' | 'while enabled' | ((row: RowAlias) => RawBuilder<unknown>);

/** An object that another is part of, such as the flow of a stage binding. */
export interface Whole {
  readonly part: string | number;
  readonly model: string;
  readonly pk: string | number;
}
