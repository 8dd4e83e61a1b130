import type { Field, Fields, ValuesOf } from '../fields/field.ts';
import type { Key } from '../fields/ref.ts';

export type KeyType = 'uuid' | 'int' | 'text';

/**
 * The stored values of a resource with these fields, on top of its family's. A new row lacks the values that the
 * database generates until it is stored.
 */
export type StoredRow<F extends Fields, G extends Fields, K extends KeyType> = { pk: Key<K> } & ValuesOf<G> &
  ValuesOf<F>;

export type PkOf<R> = R extends { pk: infer Pk extends string | number } ? Pk : string | number;

/** An empty set of fields. */
export type NoFields = Readonly<Record<never, Field>>;
