import { isDeeperThan } from '../../lib/json.ts';
import type { JsonSchema } from '../json-schema.ts';
import { accept, type Common, complain, type Field, type Parsed } from './field.ts';
import { findUnstorable, typeName } from './well-formed.ts';

export interface JsonOptions extends Common {
  /** Whether any JSON value will do, or only an object. */
  readonly anyValue?: boolean;
  readonly schema?: JsonSchema;
  /** Says what is wrong with the value, or null. */
  readonly check?: (value: unknown) => string | null;
}

const deepest = 32;

/** JSON of the administrator's own making. */
export function json(options: JsonOptions = {}): Field {
  return {
    kind: 'json',
    orderable: false,
    storage: { in: 'column', type: 'json' },
    schema: options.anyValue ? {} : { type: 'object', additionalProperties: true },
    ...options,
    parse: (value) => parseJson(value, options),
    toColumn: (value) => JSON.stringify(value),
    fromColumn: (raw, _world, _context, nested) => (nested || raw === null ? raw : JSON.parse(raw as string)),
  };
}

export function parseJson(value: unknown, options: JsonOptions): Parsed<unknown> {
  if (!options.anyValue && typeName(value) !== 'dict') {
    return complain('Value must be a dictionary, and not have any duplicate keys.');
  }
  if (isDeeperThan(value, deepest)) return complain('The value is nested too deeply.');
  const complaint = findUnstorable(value) ?? options.check?.(value);
  return complaint ? complain(complaint) : accept(value);
}

export interface ListOptions extends Common {
  readonly max?: number;
  readonly notEmpty?: boolean;
  /** Changes the whole list before it is stored: order, duplicates. */
  readonly arrange?: (values: unknown[]) => unknown[];
}

/** A list of values of one kind, kept in the row. */
export function list(item: Field, options: ListOptions = {}): Field {
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
    fromColumn: (raw, _world, _context, nested) => (nested || raw === null ? raw : JSON.parse(raw as string)),
  };
}

export function parseList(value: unknown, item: Field, options: ListOptions): Parsed<unknown[]> {
  if (!Array.isArray(value)) return complain(`Expected a list of items but got type "${typeName(value)}".`);
  if (options.max && value.length > options.max) {
    return complain(`Ensure this field has no more than ${options.max} elements.`);
  }
  if (options.notEmpty && value.length === 0) return complain('This list may not be empty.');
  const values: unknown[] = [];
  const complaints: Record<string, string[]> = {};
  value.forEach((element, index) => {
    const parsed: Parsed<unknown> = element === null ? complain('This field may not be null.') : item.parse(element);
    if ('value' in parsed) values.push(parsed.value);
    else
      complaints[index] = Array.isArray(parsed.complaint) ? parsed.complaint : Object.values(parsed.complaint).flat();
  });
  if (Object.keys(complaints).length > 0) return { complaint: complaints };
  return accept(options.arrange ? options.arrange(values) : values);
}

/** An object with members of known kinds, kept as JSON inside a list or a row. */
export function record(members: Readonly<Record<string, Field>>, options: Common = {}): Field {
  const properties = Object.fromEntries(Object.entries(members).map(([name, field]) => [name, field.schema]));
  return {
    kind: 'record',
    orderable: false,
    storage: { in: 'column', type: 'json' },
    schema: { type: 'object', properties, required: Object.keys(members) },
    ...options,
    parse(value) {
      if (typeName(value) !== 'dict')
        return complain(`Invalid data. Expected a dictionary, but got ${typeName(value)}.`);
      const given = value as Record<string, unknown>;
      const values: Record<string, unknown> = {};
      const complaints: string[] = [];
      for (const [name, field] of Object.entries(members)) {
        if (given[name] === undefined && field.default !== undefined) {
          values[name] = field.default;
          continue;
        }
        const parsed: Parsed<unknown> =
          given[name] === undefined ? complain('This field is required.') : field.parse(given[name]);
        if ('value' in parsed) values[name] = parsed.value;
        else
          complaints.push(
            ...Object.values(parsed.complaint)
              .flat()
              .map((text) => `${name}: ${text}`),
          );
      }
      return complaints.length > 0 ? complain(...complaints) : accept(values);
    },
    toColumn: (value) => JSON.stringify(value),
    fromColumn: (raw, _world, _context, nested) => (nested || raw === null ? raw : JSON.parse(raw as string)),
  };
}
