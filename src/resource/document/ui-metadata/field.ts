import type { Field } from '../../fields/field.ts';
import type { Registry } from '../../resource.ts';
import { labelOf } from '../field-labels.ts';
import type { FieldMetadata, JsonSchema } from '../json-schema.ts';

/** What forms need to know of a field (`x-field` in the OpenAPI document), from its declaration. */
export function describeField(name: string, field: Field, registry?: Registry): FieldMetadata {
  const { label = labelOf(name), labels, group, help, isObvious, lines, parts, limits, proposes } = field;
  const model = modelOf(field);
  const list = model === undefined ? undefined : registry?.find(model)?.path;
  return {
    kind: kindOf(field),
    label,
    ...(labels && { labels }),
    ...(group && { group }),
    ...(help && !isObvious && { help }),
    ...(lines && { lines }),
    ...(model && { model }),
    ...(list && { list }),
    ...(parts && { parts }),
    ...(limits && { limits }),
    ...(proposes && { proposes }),
  };
}

/** The same for a value without a field; its schema may tell. */
export const describeType = (name: string, schema: JsonSchema): FieldMetadata =>
  schema['x-field'] ?? { kind: kindOfType(schema), label: labelOf(name) };

function modelOf(field: Field): string | undefined {
  if (field.storage.in === 'nested') return field.storage.nest.model;
  return 'model' in field ? String(field.model) : undefined;
}

const kinds: Readonly<Record<string, string>> = {
  ref: 'reference',
  embedded: 'reference',
  target: 'reference',
  refs: 'references',
  boolean: 'flag',
  integer: 'number',
  real: 'number',
  uuid: 'text',
  country: 'choice',
  image: 'file',
  record: 'json',
};

/** The kind of input; for values that the server sets, by type. */
function kindOf({ kind, storage, schema }: Field): string {
  if (storage.in === 'nested') return storage.nest.many ? 'references' : 'reference';
  if (kind === 'computed' || kind === 'derived') return kindOfType(schema);
  return kinds[kind] ?? kind;
}

function kindOfType({ type, format, enum: choices }: JsonSchema): string {
  if (choices) return 'choice';
  const [first] = [type ?? 'object'].flat();
  if (format === 'date-time') return 'time';
  const byType: Readonly<Record<string, string>> = {
    string: 'text',
    boolean: 'flag',
    integer: 'number',
    number: 'number',
    array: 'list',
  };
  return byType[first ?? ''] ?? 'json';
}
