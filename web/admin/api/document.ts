import type { FieldMetadata, JsonSchema } from '../../../src/resource/document/json-schema.ts';
import type { OpenApiDocument } from '../../../src/resource/document/openapi-types.ts';

/** One member of an object or a body. */
export interface Member {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly note: FieldMetadata;
  readonly isRequired: boolean;
  readonly isNullable: boolean;
}

export const json = 'application/json';

/** Translates a text for people. */
export type Say = (text: string) => string;

/** A schema, by itself or as the document has it under its name. */
export function resolveIn(document: OpenApiDocument, schema: JsonSchema | undefined): JsonSchema {
  const { schemas } = document.components;
  return schema?.$ref ? resolveIn(document, schemas[schema.$ref.split('/').at(-1) ?? '']) : (schema ?? {});
}

export function membersOf({ properties = {}, required = [] }: JsonSchema, say: Say): Member[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    note: schema['x-field'] ? translated(schema['x-field'], say) : { kind: 'json', label: name },
    isRequired: required.includes(name),
    isNullable: [schema.type].flat().includes('null') || Boolean(schema.anyOf?.some(({ type }) => type === 'null')),
  }));
}

export const translated = <Note extends FieldMetadata>(note: Note, say: Say): Note => ({
  ...note,
  label: say(note.label),
  ...(note.group && { group: say(note.group) }),
  ...(note.help && { help: say(note.help) }),
  ...(note.parts && {
    parts: note.parts.map((part) => ({ ...part, label: say(part.label), help: say(part.help) })),
  }),
});
