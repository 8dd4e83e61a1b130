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
}

export interface FilterNote extends FieldNote {
  readonly name: string;
  readonly choices?: readonly unknown[];
}

interface Note {
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

interface Operation {
  readonly operationId: string;
  readonly summary: string;
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

/** A file that can be uploaded for an object: the name of the operation below it, and what it does. */
export interface Upload {
  readonly name: string;
  readonly summary: string;
}

/** What pages know of a resource. */
export interface Description extends Note {
  /** What objects show. */
  readonly shown: readonly Member[];
  readonly creating: readonly Member[] | null;
  readonly changing: readonly Member[] | null;
  readonly uploads: readonly Upload[];
  readonly hasUsedBy: boolean;
}

const json = 'application/json';

/** Translates a text for people. */
type Say = (text: string) => string;

/** What the document says of a path. Texts for people are translated here, once for all pages. */
export function describe(path: string, document: Document, say: Say): Description {
  const { schemas } = document.components;
  const resolved = (schema: Schema | undefined): Schema =>
    schema?.$ref ? resolved(schemas[schema.$ref.split('/').at(-1) ?? '']) : (schema ?? {});
  const set = document.paths[path];
  const [rowPath = '', row] =
    Object.entries(document.paths).find(([at]) => /^\{\w+\}\/$/.test(at.slice(path.length))) ?? [];
  const body = (operation: Operation | undefined) =>
    operation?.requestBody ? membersOf(resolved(operation.requestBody.content[json]?.schema), say) : null;
  const answer = (operation: Operation | undefined) => resolved(operation?.responses['200']?.content?.[json]?.schema);
  const shown = row?.get ? answer(row.get) : resolved(answer(set?.get).properties?.results?.items ?? answer(set?.get));
  const below = Object.entries(document.paths).filter(([at]) => rowPath && at.startsWith(rowPath));
  const uploads = below.flatMap(([at, { post }]) =>
    post?.requestBody?.content['multipart/form-data']
      ? [{ name: at.slice(rowPath.length, -1), summary: say(post.summary) }]
      : [],
  );
  const note = document['x-resources'][path] ?? lone;
  return {
    ...note,
    filters: note.filters.map((filter) => translated(filter, say)),
    shown: membersOf(shown, say),
    creating: body(set?.post),
    changing: body(row?.patch ?? set?.patch),
    uploads,
    hasUsedBy: below.some(([at]) => at.endsWith('/used_by/')),
  };
}

/** What is no list: one object at its own path. */
const lone: Note = {
  ...{ model: '', pk: null, key: '', title: '', isSearched: false },
  ...{ columns: [], orderable: [], order: [], always: {}, filters: [] },
};

function membersOf({ properties = {}, required = [] }: Schema, say: Say): Member[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    note: schema['x-field'] ? translated(schema['x-field'], say) : { kind: 'json', label: name },
    isRequired: required.includes(name),
    isNullable: [schema.type].flat().includes('null') || Boolean(schema.anyOf?.some(({ type }) => type === 'null')),
  }));
}

const translated = <Note extends FieldNote>(note: Note, say: Say): Note => ({
  ...note,
  label: say(note.label),
  ...(note.group && { group: say(note.group) }),
  ...(note.help && { help: say(note.help) }),
});
