import { isDeeperThan, isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { Words } from '../../lib/texts/message.ts';
import { anyButNull, type JsonSchema } from '../document/json-schema.ts';
import { describeField } from '../document/ui-metadata/field.ts';
import {
  accept,
  type Common,
  complain,
  type Field,
  type Fields,
  fromJson,
  type Null,
  type Parsed,
  type ValuesOf,
} from './field.ts';
import { findUnstorable, typeName } from './well-formed.ts';

export type JsonValue<AnyValue extends boolean> = true extends AnyValue ? Json : JsonObject;

export interface JsonOptions<A extends boolean = boolean, N extends boolean = boolean>
  extends Common<JsonValue<A>, N>,
    JsonRules<A> {
  readonly schema?: JsonSchema;
}

export interface JsonRules<A extends boolean> {
  /** Whether any JSON value is allowed, or only an object. */
  readonly anyValue?: A;
  /** Returns a complaint, or null. */
  readonly check?: (value: unknown) => string | null;
}

const deepest = 32;

/** Free-form JSON. */
export function json<A extends boolean = false, N extends boolean = false>(
  options: JsonOptions<A, N> = {},
): Field<JsonValue<A> | Null<N>> {
  return {
    kind: 'json',
    orderable: false,
    storage: { in: 'column', type: 'json' },
    schema: options.anyValue ? anyButNull : { type: 'object', additionalProperties: true },
    ...options,
    parse: (value) => parseJson(value, options),
    toColumn: (value) => JSON.stringify(value),
    fromColumn: fromJson,
  };
}

export function parseJson<A extends boolean>(value: unknown, options: JsonRules<A>): Parsed<JsonValue<A>> {
  if (!options.anyValue && !isJsonObject(value)) {
    return complain('Value must be a dictionary, and not have any duplicate keys.');
  }
  if (isDeeperThan(value, deepest)) return complain('The value is nested too deeply.');
  const complaint = findUnstorable(value) ?? options.check?.(value);
  // A body is JSON, and an object unless any value is allowed.
  return complaint ? complain(complaint) : accept(value as JsonValue<A>);
}

export interface ListOptions<T = unknown, N extends boolean = boolean> extends Common<readonly T[], N>, ListRules<T> {}

export interface ListRules<T> {
  readonly max?: number;
  readonly notEmpty?: boolean;
  /** Rearranges the whole list before it is stored: order, duplicates. */
  arrange?(values: readonly T[]): readonly T[];
}

/** A list of values of one kind, stored in the row. */
export function list<T, N extends boolean = false>(
  item: Field<T>,
  options: ListOptions<NoInfer<T>, N> = {},
): Field<readonly T[] | Null<N>> {
  const size = { ...(options.max && { maxItems: options.max }), ...(options.notEmpty && { minItems: 1 }) };
  return {
    kind: 'list',
    orderable: false,
    storage: { in: 'column', type: 'json' },
    schema: { type: 'array', items: item.schema, ...size },
    requestSchema: { type: 'array', items: item.requestSchema ?? item.schema, ...size },
    ...options,
    parse: (value) => parseList(value, item, options),
    toColumn: (value) => JSON.stringify(value),
    fromColumn: fromJson,
  };
}

/** Complaints about more elements do not help, and take time to make. */
const maxWrong = 100;

function parseList<T>(value: unknown, item: Field<T>, options: ListRules<T>): Parsed<readonly T[]> {
  if (!Array.isArray(value)) return complain(`Expected a list of items but got type "${typeName(value)}".`);
  if (options.max && value.length > options.max) {
    return complain(`Ensure this field has no more than ${options.max} elements.`);
  }
  if (options.notEmpty && value.length === 0) return complain('This list may not be empty.');
  const values: T[] = [];
  const complaints: Record<string, Words[]> = {};
  let wrong = 0;
  value.forEach((element, index) => {
    if (wrong === maxWrong) return;
    const parsed = element === null ? complain('This field may not be null.') : item.parse(element);
    if ('value' in parsed) values.push(parsed.value);
    else {
      wrong += 1;
      complaints[index] = Array.isArray(parsed.complaint) ? parsed.complaint : Object.values(parsed.complaint).flat();
    }
  });
  if (wrong > 0) return { complaint: complaints };
  return accept(options.arrange ? options.arrange(values) : values);
}

/** An object with declared members, stored as JSON in a list or a row. */
export function record<F extends Fields, N extends boolean = false>(
  members: F,
  options: Common<ValuesOf<F>, N> = {},
): Field<ValuesOf<F> | Null<N>> {
  const properties = Object.fromEntries(
    Object.entries(members).map(([name, field]) => [name, { ...field.schema, 'x-field': describeField(name, field) }]),
  );
  return {
    kind: 'record',
    orderable: false,
    storage: { in: 'column', type: 'json' },
    schema: { type: 'object', properties, required: Object.keys(members) },
    ...options,
    parse(value) {
      if (!isJsonObject(value)) return complain(`Invalid data. Expected a dictionary, but got ${typeName(value)}.`);
      const values: Record<string, unknown> = {};
      const complaints: string[] = [];
      for (const [name, field] of Object.entries(members)) {
        if (value[name] === undefined && field.default !== undefined) {
          values[name] = field.default;
          continue;
        }
        const parsed: Parsed<unknown> =
          value[name] === undefined ? complain('This field is required.') : field.parse(value[name]);
        if ('value' in parsed) values[name] = parsed.value;
        else
          complaints.push(
            ...Object.values(parsed.complaint)
              .flat()
              .map((text) => `${name}: ${text}`),
          );
      }
      // Each member was parsed by its own field.
      return complaints.length > 0 ? complain(...complaints) : accept(values as ValuesOf<F>);
    },
    toColumn: (value) => JSON.stringify(value),
    fromColumn: fromJson,
  };
}
