import { type Field, type Fields, isRequired, isShown, isWritable, type Nest } from '../fields/field.ts';
import { keyField } from '../read/plan.ts';
import type { Registry, Resource } from '../resource.ts';
import { sluggedTarget } from '../write/slugs.ts';
import { arrayOf, type JsonSchema, orNull, withoutLengths } from './json-schema.ts';
import type { NamedSchema } from './operation.ts';
import { describeField } from './ui-metadata/field.ts';

/** The response schema of a resource, or of one of its views. */
export function responseSchema(resource: Resource, registry: Registry, view = 'full'): NamedSchema {
  const declared = view === 'full' ? null : resource.views?.[view];
  const names = declared?.fields;
  const properties: Record<string, JsonSchema> = {};
  if (resource.keyName !== null && (!names || names.includes(resource.keyName))) {
    const key = keyField(resource);
    properties[resource.keyName] = {
      ...key.schema,
      readOnly: true,
      'x-field': describeField(resource.keyName, key, registry),
    };
  }
  for (const [name, field] of Object.entries(resource.allFields)) {
    if (isShown(field) && (!names || names.includes(name)))
      properties[name] = memberSchema(name, field, resource, registry);
  }
  const isOptional = (name: string) => {
    const field = resource.allFields[name];
    return field?.notNested || (field?.kind === 'derived' && field.required === false);
  };
  const required = Object.keys(properties).filter((name) => !isOptional(name));
  const schema: JsonSchema = { type: 'object', properties, required };
  return { name: schemaName(resource, view), schema };
}

const schemaName = ({ schema, views }: Resource, view: string): string => views?.[view]?.schema ?? schema;

function memberSchema(name: string, field: Field, resource: Resource, registry: Registry): JsonSchema {
  const value =
    field.storage.in === 'nested' ? nestedSchema(field.storage.nest, resource, registry) : withoutLengths(field.schema);
  const schema = field.nullable ? orNull(value) : value;
  const isReadOnly = !isWritable(field);
  return {
    ...schema,
    ...(isReadOnly && { readOnly: true }),
    ...(field.help && { description: field.help }),
    'x-field': describeField(name, field, registry),
  };
}

function nestedSchema(
  { model, view, many, unless, column }: Nest,
  { allFields }: Resource,
  registry: Registry,
): JsonSchema {
  const reference = { $ref: `#/components/schemas/${schemaName(registry.require(model), view)}` };
  if (!many) return column === undefined || !allFields[column]?.nullable ? reference : orNull(reference);
  return unless ? orNull(arrayOf(reference)) : arrayOf(reference);
}

/** The schema of a body: for POST and PUT, or for PATCH, where all members are optional. */
export function requestSchema(fields: Fields, isPatch: boolean, registry?: Registry): JsonSchema {
  const writable = Object.entries(fields).filter(([, field]) => isWritable(field));
  const properties = Object.fromEntries(
    writable.map(([name, field]) => [name, bodyMember(name, field, isPatch, registry)]),
  );
  const required = isPatch ? [] : writable.filter(([, field]) => isRequired(field)).map(([name]) => name);
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

/** A PATCH has no defaults: absent members keep their value. */
function bodyMember(name: string, field: Field, isPatch: boolean, registry?: Registry): JsonSchema {
  const takesSlug = registry !== undefined && sluggedTarget(field, registry) !== null;
  const declared = field.requestSchema ?? field.schema;
  const schema = takesSlug ? slugOrKey(declared) : declared;
  const isFixed = field.default !== undefined && typeof field.default !== 'function' && field.default !== null;
  return {
    ...(field.nullable ? orNull(schema) : schema),
    ...(isFixed && !isPatch && { default: field.default }),
    ...(field.writeOnly && { writeOnly: true }),
    ...descriptionOf(field, takesSlug),
    'x-field': describeField(name, field, registry),
  };
}

/** A reference may also be given as a slug, which is not a uuid. */
const slugOrKey = ({ format, items, ...schema }: JsonSchema): JsonSchema =>
  items ? { ...schema, items: slugOrKey(items) } : { ...schema, minLength: 1 };

function descriptionOf({ kind, help }: Field, takesSlug: boolean): Pick<JsonSchema, 'description'> {
  const words = [
    help,
    kind === 'duration' && 'Written like `hours=1;minutes=30`.',
    takesSlug && 'Given by key or by slug.',
  ]
    .filter(Boolean)
    .join(' ');
  return words ? { description: words } : {};
}

export const paginatedSchema = (item: NamedSchema): NamedSchema => ({
  name: `Paginated${item.name}List`,
  schema: {
    type: 'object',
    properties: {
      pagination: { $ref: '#/components/schemas/Pagination' },
      results: arrayOf({ $ref: `#/components/schemas/${item.name}` }),
    },
    required: ['pagination', 'results'],
  },
});

const pageNumbers = ['next', 'previous', 'count', 'current', 'total_pages', 'start_index', 'end_index'];

/** Schemas that are part of every document. */
export const commonSchemas: Readonly<Record<string, JsonSchema>> = {
  Pagination: {
    type: 'object',
    properties: Object.fromEntries(pageNumbers.map((name) => [name, { type: 'number' }])),
    required: pageNumbers,
  },
  ValidationError: {
    type: 'object',
    properties: { non_field_errors: { type: 'array', items: { type: 'string' } }, code: { type: 'string' } },
    additionalProperties: true,
  },
  GenericError: {
    type: 'object',
    properties: {
      detail: { type: 'string' },
      code: { type: 'string' },
      authenticate_url: {
        type: 'string',
        description: 'Where the user signs in again; with the code `recent_authentication_required`.',
      },
      required: {
        type: 'string',
        description: 'The permission that the caller lacks, as `app.codename`; on the object, if it is about one.',
      },
    },
    required: ['detail'],
  },
  TypeCreate: {
    type: 'object',
    properties: {
      name: { type: 'string' },
      description: { type: 'string' },
      component: { type: 'string' },
      model_name: { type: 'string' },
      icon_url: { type: 'string' },
      requires_enterprise: { type: 'boolean' },
    },
    required: ['name', 'description', 'component', 'model_name'],
  },
  UsedBy: {
    type: 'object',
    properties: {
      app: { type: 'string' },
      model_name: { type: 'string' },
      pk: { type: 'string' },
      name: { type: 'string' },
      action: { type: 'string', enum: ['cascade', 'cascade_many', 'set_null', 'set_default', 'protect'] },
    },
    required: ['app', 'model_name', 'pk', 'name', 'action'],
  },
};
