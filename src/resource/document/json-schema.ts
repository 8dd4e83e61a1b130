/** The part of JSON Schema 2020-12 (as OpenAPI 3.1 uses it) that declarations need. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly default?: unknown;
  readonly description?: string;
  readonly readOnly?: boolean;
  readonly writeOnly?: boolean;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly discriminator?: { readonly propertyName: string; readonly mapping: Readonly<Record<string, string>> };
  readonly $ref?: string;
  readonly 'x-field'?: FieldMetadata;
}

/** What a form needs to know of a member besides its schema. */
export interface FieldMetadata {
  readonly kind: string;
  readonly label: string;
  readonly group?: string;
  readonly help?: string;
  /** For choices: what people call values, where that does not follow from the value. */
  readonly labels?: ValueLabels;
  /** For multi-line text. */
  readonly lines?: boolean;
  /** For references: the target model, and the path of its list. */
  readonly model?: string;
  readonly list?: string;
  /** For free data: the parts that have a field of their own. */
  readonly parts?: readonly JsonPart[];
  readonly limits?: Limits;
  /** For references: what a form of a new object begins with. */
  readonly proposes?: Proposal;
}

/** Labels for people, by value. */
export type ValueLabels = Readonly<Record<string, string>>;

/** Filters of a list, and the objects that they find. */
export type Proposal = Readonly<Record<string, string | readonly string[]>>;

/** What forms do not offer, beyond what the type says. */
export interface Limits {
  /** Who changes it: only superusers may, or the server does, and programs that import objects. */
  readonly only?: 'superusers' | 'server';
  /** For choices: those that only the server makes. */
  readonly without?: readonly string[];
  /** For references: the right to an object that choosing it takes. */
  readonly takes?: string;
}

/** A value within free data that pages know. */
export interface JsonPart {
  /** The names that lead to it: `settings`, `locale`. */
  readonly path: readonly string[];
  readonly label: string;
  readonly help: string;
  readonly choices?: readonly string[];
  /** Whether it is a colour, `#rrggbb`. */
  readonly isColour?: boolean;
  /** Whether the choices are languages, which are shown by their own names. */
  readonly areLanguages?: boolean;
}

/** The type of the values that a simple schema describes. */
export type ValueOf<S extends JsonSchema> = S extends { readonly type: 'string' }
  ? string
  : S extends { readonly type: 'boolean' }
    ? boolean
    : S extends { readonly type: 'integer' | 'number' }
      ? number
      : unknown;

/** The schema, with null allowed. */
export function orNull(schema: JsonSchema): JsonSchema {
  if (schema.$ref || schema.anyOf || schema.oneOf) return { anyOf: [schema, { type: 'null' }] };
  if (schema.type === undefined) return schema;
  return { ...schema, type: [schema.type, 'null'].flat(), ...(schema.enum && { enum: [...schema.enum, null] }) };
}

/**
 * The schema without length limits: for responses, which may hold values stored or shortened by other means, and for
 * filters, which need not match any row.
 */
export function withoutLengths({ minLength, maxLength, minItems, maxItems, ...schema }: JsonSchema): JsonSchema {
  const { items, properties } = schema;
  const inner = (members: NonNullable<typeof properties>) =>
    Object.fromEntries(Object.entries(members).map(([name, member]) => [name, withoutLengths(member)]));
  return {
    ...schema,
    ...(items && { items: withoutLengths(items) }),
    ...(properties && { properties: inner(properties) }),
  };
}

/** Any JSON value except null. */
export const anyButNull: JsonSchema = { type: ['object', 'array', 'string', 'number', 'boolean'] };

export const stringSchema = { type: 'string' } as const;
export const booleanSchema = { type: 'boolean' } as const;
export const integerSchema = { type: 'integer' } as const;
export const uuidSchema: JsonSchema = { type: 'string', format: 'uuid' };
export const timeSchema: JsonSchema = { type: 'string', format: 'date-time' };

export const objectSchema = (properties: Record<string, JsonSchema>): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});

export const arrayOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });
