import type { JsonSchema } from '../../../src/resource/document/json-schema.ts';
import type {
  OpenApiDocument,
  OperationObject,
  ResourceMetadata,
} from '../../../src/resource/document/openapi-types.ts';
import { type Action, actionsOf } from './action.ts';
import { json, type Member, membersOf, resolveIn, type Say, translated } from './document.ts';

/** A file that can be uploaded for an object: where, with `{key}` for that of the object, and what it does. */
export interface Upload {
  readonly path: string;
  readonly summary: string;
  /** Where an address can be set instead. */
  readonly addressPath: string | null;
}

/** What pages know of a resource. */
export interface Description extends Omit<ResourceMetadata, 'family' | 'names'> {
  /** What objects show. */
  readonly shown: readonly Member[];
  readonly creating: readonly Member[] | null;
  readonly changing: readonly Member[] | null;
  readonly uploads: readonly Upload[];
  readonly actions: readonly Action[];
  readonly hasUsedBy: boolean;
}

const isForPeople = ({ note }: Member): boolean => note.limits?.only !== 'server';

/** What the document says of a path. Texts for people are translated here, once for all pages. */
export function describe(path: string, document: OpenApiDocument, say: Say): Description {
  const resolved = (schema: JsonSchema | undefined) => resolveIn(document, schema);
  const set = document.paths[path];
  const [rowPath = '', row] =
    Object.entries(document.paths).find(([at]) => at.startsWith(path) && /^\{\w+\}\/$/.test(at.slice(path.length))) ??
    [];
  const body = (operation: OperationObject | undefined) =>
    operation?.requestBody
      ? membersOf(resolved(operation.requestBody.content[json]?.schema), say).filter(isForPeople)
      : null;
  const answer = (operation: OperationObject | undefined) =>
    resolved(operation?.responses['200']?.content?.[json]?.schema);
  const shown = row?.get ? answer(row.get) : resolved(answer(set?.get).properties?.results?.items ?? answer(set?.get));
  const below = Object.entries(document.paths).filter(([at]) => rowPath && at.startsWith(rowPath));
  const note = document['x-resources'][path] ?? lone;
  return {
    ...note,
    filters: note.filters.map((filter) => translated(filter, say)),
    shown: membersOf(shown, say),
    creating: body(set?.post),
    changing: body(row?.patch ?? set?.patch),
    uploads: uploadsOf(document, say),
    actions: actionsOf(path, schemaNameOf(row?.get ?? set?.get), document, say),
    hasUsedBy: below.some(([at]) => at.endsWith('/used_by/')),
  };
}

/** Files that belong to objects, of a kind also those of its family. Others are actions with a button. */
function uploadsOf({ paths }: OpenApiDocument, say: Say): Upload[] {
  return Object.entries(paths).flatMap(([at, { post }]) => {
    if (!post?.requestBody?.content['multipart/form-data'] || post['x-button']) return [];
    const addressPath = at.replace(/\/$/, '_url/');
    const withKey = (path: string) => path.replace(/\{\w+\}/, '{key}');
    return [
      {
        path: withKey(at),
        summary: say(post.summary),
        addressPath: paths[addressPath]?.post ? withKey(addressPath) : null,
      },
    ];
  });
}

/** The name of the schema that an operation answers with, of a list that of its objects. */
function schemaNameOf(operation: OperationObject | undefined): string {
  const name = operation?.responses['200']?.content?.[json]?.schema.$ref?.split('/').at(-1) ?? '';
  return name.replace(/^Paginated(.+)List$/, '$1');
}

/** What is no list: one object at its own path. */
const lone: Omit<ResourceMetadata, 'family' | 'names'> = {
  ...{ model: '', pk: null, key: '', title: '', isSearched: false },
  ...{ columns: [], orderable: [], order: [], always: {}, filters: [] },
};
