import type { JsonSchema } from '../../src/resource/document/json-schema.ts';
import type { Field } from '../../src/resource/fields/field.ts';

/**
 * A value that a field of this name and kind takes; `number` makes it differ from others. References are not made here.
 */
export function sampleOf(name: string, field: Field, number: number): unknown {
  switch (field.kind) {
    case 'secret':
      return field.schema.type === 'string' ? secretText(number) : { value: secretText(number) };
    case 'expression':
      return `return ${number} > 0`;
    case 'duration':
      return `minutes=${number}`;
    case 'boolean':
      return field.default ?? true;
    case 'choice':
      return field.default ?? field.schema.enum?.[0];
    default:
      return sampleOfSchema(name, { ...(field.requestSchema ?? field.schema), ...formatOf(field) }, number);
  }
}

/** The format is left out of the document where empty text is allowed as well. */
function formatOf(field: Field & { readonly format?: string }): JsonSchema {
  if (field.format === 'slug') return { pattern: 'slug' };
  return field.format ? { format: field.format === 'url' ? 'uri' : field.format } : {};
}

/** Text that stands nowhere else, so that it can be looked for where it must not be. */
export const secretText = (number: number): string => `hidden-${number}-value`;

export function sampleOfSchema(name: string, schema: JsonSchema, number: number): unknown {
  if (schema.enum) return schema.enum[0];
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case 'string':
      return sampleText(name, schema, number);
    case 'integer':
    case 'number':
      return Math.min(Math.max(number, schema.minimum ?? number), schema.maximum ?? number);
    case 'boolean':
      return schema.default !== true;
    case 'array':
      return [sampleOfSchema(name, schema.items ?? {}, number)];
    case 'object':
      return schema.properties
        ? Object.fromEntries(
            Object.entries(schema.properties).map(([inner, value]) => [inner, sampleOfSchema(inner, value, number)]),
          )
        : { sample: number };
    default:
      return `${name} ${number}`;
  }
}

function sampleText(name: string, { format, pattern, maxLength }: JsonSchema, number: number): string {
  switch (format) {
    case 'uuid':
      return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
    case 'date-time':
      return new Date(Date.UTC(2090, 0, 1) + number * 1000).toISOString().replace('Z', '456Z');
    case 'email':
      return `${name}-${number}@example.com`;
    case 'uri':
      return `https://example.com/${name}/${number}`;
    default: {
      const text = pattern ? `${name}-${number}` : `${name} ${number}`;
      return maxLength ? text.slice(-maxLength) : text;
    }
  }
}
