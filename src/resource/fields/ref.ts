import { type RawBuilder, sql } from 'kysely';
import type { JsonSchema } from '../document/json-schema.ts';
import {
  accept,
  asStored,
  type Common,
  complain,
  type Field,
  fromJson,
  type Join,
  type Null,
  type Parsed,
  type RowAlias,
} from './field.ts';
import { canonicalUuid, isUuid } from './scalar.ts';
import { typeName } from './well-formed.ts';

export type ReferenceNeed = 'view' | 'use' | 'change';

export interface RefOptions<T = unknown, N extends boolean = boolean> extends Common<T, N> {
  /**
   * The right that the caller must have: see the new object (for references whose object is shown), hold `use` or
   * `change` on the new one, or hold `change` on the old one and the new.
   */
  readonly needs?: ReferenceNeed;
  /** The row is part of the referenced object, which is written with it in mind. */
  readonly partOf?: boolean;
  /** The row stays without the referenced object, as its own rules (`afterWrite`) leave it. */
  readonly outlives?: boolean;
  /**
   * The referenced object cannot be deleted, because the row means something else without it: everybody instead of
   * some.
   */
  readonly protects?: boolean;
}

export interface RefField<T = unknown> extends Field<T> {
  readonly model: string;
  readonly keyType: KeyType;
  readonly needs?: ReferenceNeed;
  readonly partOf?: boolean;
  readonly outlives?: boolean;
  readonly protects?: boolean;
}

export type KeyType = 'uuid' | 'int';

export type Key<K> = K extends 'int' ? number : string;

/** A reference to an object of another model, by key. One statement checks all references of a request. */
export function ref<const K extends KeyType, N extends boolean = false>(
  model: string,
  keyType: K,
  options: RefOptions<Key<K>, N> = {},
): RefField<Key<K> | Null<N>> {
  return {
    kind: 'ref',
    model,
    keyType,
    orderable: true,
    storage: { in: 'column', type: keyType },
    schema: keySchema(keyType),
    ...(options.nullable && options.default === undefined && { default: null }),
    ...options,
    parse: (value) => (value === '' && options.nullable ? accept(asStored(null)) : parseKey(value, keyType)),
    toColumn: (value) => value,
    fromColumn: asStored,
  };
}

export interface RefsOptions<T = unknown> extends RefOptions<T, false> {
  readonly table: string;
  /** The join table's columns for this row and for the other object. */
  readonly own: string;
  readonly other: string;
  readonly notEmpty?: boolean;
  /** Who belongs to what: the order in which keys are sent means nothing, and is not kept. */
  readonly isSet?: boolean;
}

/** References to any number of objects of another model, in a join table. */
export function refs<const K extends KeyType>(
  model: string,
  keyType: K,
  options: RefsOptions<readonly Key<K>[]>,
): RefField<readonly Key<K>[]> {
  const { table, own, other, isSet = false } = options;
  return {
    kind: 'refs',
    model,
    keyType,
    orderable: false,
    storage: { in: 'join', join: { table, own, other, model, isOrdered: !isSet } },
    schema: { type: 'array', items: keySchema(keyType) },
    ...(options.notEmpty && { requestSchema: { type: 'array', items: keySchema(keyType), minItems: 1 } }),
    ...(!options.notEmpty && options.required !== true && { default: () => [] }),
    ...options,
    parse: (value) => parseKeys(value, keyType, options.notEmpty ?? false),
    toColumn: (value) => value,
    fromColumn: fromJson,
  };
}

/** The keys that a row refers to, as a query. */
export const joinedKeys = ({ table, own, other, isOrdered }: Join, row: RowAlias): RawBuilder<unknown> =>
  sql`select ${sql.ref(other)} from ${sql.table(table)} where ${sql.ref(`${table}.${own}`)} = ${row.col('pk')}
    order by ${isOrdered ? sql`position, ` : sql``}${sql.ref(other)}`;

function parseKeys<K extends KeyType>(value: unknown, keyType: K, notEmpty: boolean): Parsed<readonly Key<K>[]> {
  if (!Array.isArray(value)) return complain(`Expected a list of items but got type "${typeName(value)}".`);
  if (notEmpty && value.length === 0) return complain('This list may not be empty.');
  const keys = new Set<Key<K>>();
  for (const element of value) {
    const parsed = element === null ? complain('This field may not be null.') : parseKey(element, keyType);
    if ('complaint' in parsed) return parsed;
    keys.add(parsed.value);
  }
  return accept([...keys]);
}

// A uuid is a string and an int a number, as `Key` says.
const parseKey = <K extends KeyType>(value: unknown, keyType: K) => parseEither(value, keyType) as Parsed<Key<K>>;

function parseEither(value: unknown, keyType: KeyType): Parsed<string | number> {
  if (keyType === 'uuid') {
    if (isUuid(value)) return accept(canonicalUuid(value));
    return complain(
      typeof value === 'string' || typeof value === 'number'
        ? `“${value}” is not a valid UUID.`
        : `Incorrect type. Expected pk value, received ${typeName(value)}.`,
    );
  }
  const key = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  if (typeof key !== 'number' || !Number.isInteger(key)) {
    return complain(`Incorrect type. Expected pk value, received ${typeName(value)}.`);
  }
  if (Math.abs(key) > 2147483647) return complain(missingObject(key));
  return accept(key);
}

export const missingObject = (key: unknown): string => `Invalid pk "${key}" - object does not exist.`;
const refKinds = new Set(['ref', 'refs', 'embedded']);
export const isRef = (field: Field): field is RefField => refKinds.has(field.kind);
export const keySchema = (keyType: KeyType): JsonSchema =>
  keyType === 'uuid' ? { type: 'string', format: 'uuid' } : { type: 'integer' };
