/** The part of the OpenAPI document that pages read. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly default?: unknown;
  readonly readOnly?: boolean;
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly 'x-field'?: FieldNote;
}

export interface FieldNote {
  readonly kind: string;
  readonly label: string;
  readonly group?: string;
  readonly help?: string;
  readonly lines?: boolean;
  readonly model?: string;
  readonly list?: string;
  readonly parts?: readonly JsonPart[];
  readonly limits?: Limits;
  /** Filters of the list; a form of a new object begins with what they find. */
  readonly proposes?: Readonly<Record<string, string | readonly string[]>>;
}

/** Values that are not offered: choices for superusers or for the server alone, objects without a right to them. */
interface Limits {
  readonly only?: 'superusers' | 'server';
  readonly without?: readonly string[];
  readonly takes?: string;
}

/** A value within free data that has a field of its own. */
export interface JsonPart {
  readonly path: readonly string[];
  readonly label: string;
  readonly help: string;
  readonly choices?: readonly string[];
  /** `#rrggbb` */
  readonly isColour?: boolean;
  readonly areLanguages?: boolean;
}

export interface FilterNote extends FieldNote {
  readonly name: string;
  readonly choices?: readonly unknown[];
}

export interface Note {
  readonly model: string;
  readonly pk: string | null;
  readonly key: string;
  readonly title: string;
  readonly columns: readonly string[];
  readonly orderable: readonly string[];
  readonly order: readonly string[];
  readonly isSearched: boolean;
  readonly always: Readonly<Record<string, string>>;
  readonly filters: readonly FilterNote[];
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly 'x-button'?: { readonly label: string; readonly needs: readonly string[] };
  readonly 'x-credentials': readonly string[];
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { schema: Schema }>> }>>;
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  readonly 'x-resources': Readonly<Record<string, Note>>;
}

/** One member of an object or a body. */
export interface Member {
  readonly name: string;
  readonly schema: Schema;
  readonly note: FieldNote;
  readonly isRequired: boolean;
  readonly isNullable: boolean;
}

export const json = 'application/json';

/** Translates a text for people. */
export type Say = (text: string) => string;

/** A schema, by itself or as the document has it under its name. */
export function resolveIn(document: Document, schema: Schema | undefined): Schema {
  const { schemas } = document.components;
  return schema?.$ref ? resolveIn(document, schemas[schema.$ref.split('/').at(-1) ?? '']) : (schema ?? {});
}

export function membersOf({ properties = {}, required = [] }: Schema, say: Say): Member[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    note: schema['x-field'] ? translated(schema['x-field'], say) : { kind: 'json', label: name },
    isRequired: required.includes(name),
    isNullable: [schema.type].flat().includes('null') || Boolean(schema.anyOf?.some(({ type }) => type === 'null')),
  }));
}

export const translated = <Note extends FieldNote>(note: Note, say: Say): Note => ({
  ...note,
  label: say(note.label),
  ...(note.group && { group: say(note.group) }),
  ...(note.help && { help: say(note.help) }),
  ...(note.parts && {
    parts: note.parts.map((part) => ({ ...part, label: say(part.label), help: say(part.help) })),
  }),
});
