import type { JsonSchema } from '../../../src/resource/document/json-schema.ts';
import type { OpenApiDocument, OperationObject } from '../../../src/resource/document/openapi-types.ts';
import { json, type Member, membersOf, resolveIn, type Say } from './document.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** An operation beside those of every resource, as a page offers it. */
export interface Action {
  /** As addresses have it: `sync_run`. */
  readonly name: string;
  readonly on: 'row' | 'set';
  readonly method: Method;
  /** With `{key}` for that of the object. */
  readonly path: string;
  readonly label: string;
  readonly summary: string;
  readonly needs: readonly string[];
  readonly credentials: readonly string[];
  readonly parameters: readonly Member[];
  readonly body: readonly Member[];
  readonly isUpload: boolean;
  /** The members of the answer; empty where it has none that are known. */
  readonly answer: readonly Member[];
  /** Whether it answers with the object that it has made or changed. */
  readonly answersObject: boolean;
  /** Whether it answers with a file: always, or for those who ask for one. */
  readonly file: 'always' | 'on request' | null;
}

const upload = 'multipart/form-data';
/** What the dialog asks for by its buttons. */
const ownParameters: ReadonlySet<string> = new Set(['dry_run', 'download']);

/** The actions that are declared with a button, on the list at a path and on its objects. */
export function actionsOf(path: string, schemaName: string, document: OpenApiDocument, say: Say): Action[] {
  return Object.entries(document.paths).flatMap(([at, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const button = operation['x-button'];
      return button ? [actionOf(at, method, { ...operation, button }, { path, schemaName, document, say })] : [];
    }),
  );
}

interface Place {
  readonly path: string;
  readonly schemaName: string;
  readonly document: OpenApiDocument;
  readonly say: Say;
}

type Offered = OperationObject & { readonly button: NonNullable<OperationObject['x-button']> };

function actionOf(at: string, method: string, operation: Offered, { path, schemaName, document, say }: Place): Action {
  const [, list = path, , below = ''] = /^(.*?)(\{\w+\}\/)(.+)$/.exec(at) ?? [];
  const isOnRow = below !== '';
  const { button, summary, requestBody, parameters = [], responses } = operation;
  const content = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1].content ?? {};
  const answer = content[json]?.schema;
  const sent = requestBody?.content[upload] ?? requestBody?.content[json];
  const members = (schema: Parameters<typeof resolveIn>[1]) => membersOf(resolveIn(document, schema), say);
  const fileWhen = answer ? 'on request' : 'always';
  const hasFile = Object.keys(content).some((type) => type !== json);
  return {
    name: (isOnRow ? below : at.slice(path.length)).replaceAll('/', '_').replace(/_$/, '') || 'create',
    on: isOnRow ? 'row' : 'set',
    method: methodOf(method),
    path: isOnRow ? `${list}{key}/${below}` : at,
    label: say(button.label),
    summary: say(summary),
    needs: button.needs,
    credentials: operation['x-credentials'],
    parameters: parameters
      .filter(({ in: place, name }) => place === 'query' && !ownParameters.has(name))
      .flatMap(({ name, schema }) => membersOf({ properties: { [name]: schema } }, say)),
    body: sent ? membersOf(withoutClear(resolveIn(document, sent.schema)), say) : [],
    isUpload: requestBody?.content[upload] !== undefined,
    answer: answer && !answersObject(answer.$ref, schemaName) ? members(answer) : [],
    answersObject: answersObject(answer?.$ref, schemaName),
    file: hasFile ? fileWhen : null,
  };
}

const answersObject = ($ref: string | undefined, schemaName: string): boolean =>
  schemaName !== '' && $ref?.split('/').at(-1) === schemaName;

const methods: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const methodOf = (text: string): Method => methods.find((method) => method === text.toUpperCase()) ?? 'POST';

/** Only files that belong to objects can be cleared; those are part of forms. */
function withoutClear({ properties, ...schema }: JsonSchema): JsonSchema {
  const { clear: _, ...others } = properties ?? {};
  return { ...schema, properties: others };
}
