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
  readonly $ref?: string;
}

/** The same schema, null allowed. */
export function orNull(schema: JsonSchema): JsonSchema {
  if (schema.$ref || schema.anyOf) return { anyOf: [schema, { type: 'null' }] };
  if (schema.type === undefined) return schema;
  const types = Array.isArray(schema.type) ? schema.type : [schema.type as string];
  return { ...schema, type: [...types, 'null'], ...(schema.enum && { enum: [...schema.enum, null] }) };
}

export const stringSchema: JsonSchema = { type: 'string' };
export const booleanSchema: JsonSchema = { type: 'boolean' };
export const integerSchema: JsonSchema = { type: 'integer' };
export const uuidSchema: JsonSchema = { type: 'string', format: 'uuid' };
export const timeSchema: JsonSchema = { type: 'string', format: 'date-time' };

export const objectSchema = (properties: Record<string, JsonSchema>): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});

export const arrayOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });
