import type { Credential } from '../access/actor.ts';
import { everyCredential } from '../access/credentials.ts';
import type { RecentAuthentication } from '../access/recent-authentication.ts';
import type { Registry } from '../resource.ts';
import { arrayOf, type JsonSchema } from './json-schema.ts';
import type { Content, OpenApiDocument, OperationObject, ResponseObject } from './openapi-types.ts';
import type { Body, NamedSchema, Operation, OperationAnswer } from './operation.ts';
import { commonSchemas, responseSchema } from './schemas.ts';
import { hasButton } from './ui-metadata/button.ts';
import { describeResource } from './ui-metadata/resource.ts';

export interface DocumentFacts {
  readonly version: string;
  /** The common prefix of all paths. */
  readonly prefix: string;
  readonly sessionCookie: string;
}

const json = 'application/json';

const description = `The administrative API of Gatehouse.

Schemas say what to send. Requests are read leniently besides: a number is taken for its text where text is asked for
(unless it is a secret), the text of a number where a number is asked for, and \`yes\`, \`on\`, \`1\` and their like where a
boolean is asked for in a body. An empty text stands for null where a reference may be null. Members and query
parameters that are not named here are ignored, unless the request says \`Prefer: handling=strict\`: then they are
refused, with the name that was probably meant. A filter with an empty value is no filter, and one with a number that no row can have finds none. Names in \`ordering\` that
nothing can be ordered by are ignored.`;

/** Builds the document from the declarations that also serve the operations. */
export function openApiDocument(
  operations: readonly Operation[],
  registry: Registry,
  { version, prefix, sessionCookie }: DocumentFacts,
): OpenApiDocument {
  const paths: Record<string, Record<string, OperationObject>> = {};
  for (const operation of operations) {
    const methods = paths[operation.path] ?? {};
    paths[operation.path] = methods;
    methods[operation.method.toLowerCase()] = operationObject(operation);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Gatehouse', version, description },
    servers: [{ url: prefix }],
    tags: [...new Set(operations.map(({ tag }) => tag))].sort().map((name) => ({ name })),
    paths: sorted(paths),
    components: {
      schemas: sorted(schemasOf(operations, registry)),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API token.' },
        access_token: {
          type: 'http',
          scheme: 'bearer',
          description: 'An OAuth2 access token with the scope of the API.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: sessionCookie,
          description:
            'The session of a browser. Requests that change something also prove that they come from our pages.',
        },
      },
    },
    'x-resources': Object.fromEntries(
      registry.resources.map((resource) => [resource.path, describeResource(resource, registry)]),
    ),
  };
}

/**
 * The part of a document below one path, up to the next resource, and for a kind what its family offers on objects;
 * null if there is none.
 */
export function documentUnder(document: OpenApiDocument, under: string): OpenApiDocument | null {
  const notes = document['x-resources'];
  const others = Object.keys(notes).filter((path) => path !== under && path.startsWith(under));
  const isPart = (path: string) => path.startsWith(under) && !others.some((other) => path.startsWith(other));
  const note = notes[under];
  const isOfFamily = (path: string) => note?.family && isBelowRow(path, note.family);
  const own = Object.entries(document.paths).filter(([path]) => isPart(path));
  if (own.length === 0) return null;
  const paths = Object.fromEntries([...own, ...Object.entries(document.paths).filter(([path]) => isOfFamily(path))]);
  return {
    ...document,
    paths,
    components: { ...document.components, schemas: sorted(reachable(paths, document.components.schemas)) },
    'x-resources': note ? { [under]: note } : {},
  };
}

/** Whether a path is that of an operation on one object of a list. */
const isBelowRow = (path: string, list: string): boolean =>
  path.startsWith(list) && /^\{\w+\}\/./.test(path.slice(list.length));

/** The schemas referenced, directly or indirectly. */
function reachable(from: unknown, all: Readonly<Record<string, JsonSchema>>): Record<string, JsonSchema> {
  const found: Record<string, JsonSchema> = {};
  const queue = referencesIn(from);
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    const schema = all[name];
    if (!schema || found[name]) continue;
    found[name] = schema;
    queue.push(...referencesIn(schema));
  }
  return found;
}

function sorted<T>(members: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function operationObject(operation: Operation): OperationObject {
  const { id, tag, summary, page, parameters, body, anonymous, reaches, credentials = everyCredential } = operation;
  const { recentAuthentication } = operation;
  const reachWords =
    reaches && 'Only superusers may do this to what users sign in through: the refusal says what uses the object.';
  const words = [operation.description, reachWords, recentWords(recentAuthentication)].filter(Boolean).join(' ');
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(words && { description: words }),
    ...(reaches && { 'x-reaches': reaches }),
    ...(hasButton(page) && { 'x-button': { label: page.button, needs: page.needs ?? [] } }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: requestBody(body) }),
    'x-credentials': credentials,
    ...(recentAuthentication && { 'x-recent-authentication': recentAuthentication }),
    security: [...schemesOf(credentials), ...(anonymous ? [{}] : [])],
    responses: responsesOf(operation),
  };
}

function recentWords(recent: RecentAuthentication | undefined): string | undefined {
  if (recent === undefined) return undefined;
  const when = recent === true ? '' : ` ${recent}`;
  return `In a session, the user must have authenticated within the last 10 minutes${when}; else the answer is 403 with the code \`recent_authentication_required\`, and \`authenticate_url\` names the page at which to sign in again (add \`?next=\` with a path to come back to).`;
}

const schemeOf = {
  'API token': 'bearer',
  session: 'session',
  'impersonated session': 'session',
  'access token': 'access_token',
} as const;

const schemesOf = (credentials: readonly Credential[]): Record<string, string[]>[] =>
  [...new Set(credentials.map((credential) => schemeOf[credential]))].sort().map((scheme) => ({ [scheme]: [] }));

function requestBody({ schema, upload, required }: Body): NonNullable<OperationObject['requestBody']> {
  const type = upload ? 'multipart/form-data' : json;
  return { content: { [type]: { schema: referenceTo(schema) } }, ...(required && { required }) };
}

function referenceTo({ name, schema }: NamedSchema): JsonSchema {
  if (!name) return schema;
  const reference = { $ref: `#/components/schemas/${name}` };
  return schema.items ? arrayOf(reference) : reference;
}

function responsesOf({ answer, parameters }: Operation): Record<string, ResponseObject> {
  const takes = (name: string) => parameters.some((parameter) => parameter.name === name);
  const mayMiss = takes('page') || parameters.some((parameter) => parameter.in === 'path');
  return {
    [answer.status]: success(answer, takes('If-None-Match')),
    ...(takes('If-None-Match') && { 304: { description: 'The object is still as it was read.' } }),
    400: refusal('ValidationError', 'The request cannot be accepted; every complaint is named.'),
    403: refusal('GenericError', 'The caller is not signed in or not permitted.'),
    ...(mayMiss && { 404: refusal('GenericError', 'There is no such object or page, or none the caller may see.') }),
    ...(takes('If-Match') && { 412: refusal('GenericError', 'The object has changed since it was read.') }),
    default: refusal('GenericError', 'The request could not be served.'),
  };
}

const descriptions: Readonly<Record<number, string>> = { 201: 'Created.', 204: 'Done.' };

function success(
  { status, schema, types = [json], file, fileSchema }: OperationAnswer,
  isTagged: boolean,
): ResponseObject {
  const content: Content = {
    ...(schema && Object.fromEntries(types.map((type) => [type, { schema: referenceTo(schema) }]))),
    ...(file && { [file]: { schema: fileSchema ?? { type: 'string' } } }),
  };
  return {
    description: descriptions[status] ?? 'The answer.',
    ...(isTagged && { headers: { ETag: { schema: { type: 'string' }, description: 'Names this state.' } } }),
    ...(Object.keys(content).length > 0 && { content }),
  };
}

const refusal = (schema: 'ValidationError' | 'GenericError', description: string): ResponseObject => ({
  description,
  content: { [json]: { schema: { $ref: `#/components/schemas/${schema}` } } },
});

/** All schemas that operations refer to, directly or indirectly. */
function schemasOf(operations: readonly Operation[], registry: Registry): Record<string, JsonSchema> {
  const offered = offeredSchemas(registry);
  const schemas: Record<string, JsonSchema> = {};

  function add(name: string, schema: JsonSchema): void {
    const existing = schemas[name];
    if (existing && JSON.stringify(existing) !== JSON.stringify(schema)) {
      throw new Error(`two different schemas are called ${name}`);
    }
    if (existing) return;
    schemas[name] = schema;
    follow(schema, name);
  }

  function follow(schema: JsonSchema, where: string): void {
    for (const name of referencesIn(schema)) {
      const found = offered.get(name);
      if (found) for (const candidate of found) add(name, candidate());
      else if (!schemas[name]) missing.set(name, where);
    }
  }

  const missing = new Map<string, string>();
  for (const { id, body, answer, schemas: own = {} } of operations) {
    for (const [name, schema] of Object.entries(own)) add(name, schema);
    for (const named of [body?.schema, answer.schema]) {
      if (named?.name) add(named.name, named.schema.items ?? named.schema);
      else if (named) follow(named.schema, id);
    }
  }
  for (const name of ['ValidationError', 'GenericError']) add(name, commonSchemas[name] ?? {});
  for (const [name, where] of missing) {
    // A later operation may declare it, so this is checked at the end.
    if (!schemas[name]) throw new Error(`${where} refers to the schema ${name}, which nothing declares`);
  }
  return schemas;
}

/** The schemas that can be referenced: common ones, resources and their views. Built on demand. */
function offeredSchemas(registry: Registry): Map<string, (() => JsonSchema)[]> {
  const offered = new Map<string, (() => JsonSchema)[]>();
  const offer = (name: string, schema: () => JsonSchema) => offered.set(name, [...(offered.get(name) ?? []), schema]);
  for (const [name, schema] of Object.entries(commonSchemas)) offer(name, () => schema);
  for (const resource of registry.resources) {
    offer(resource.schema, () => responseSchema(resource, registry).schema);
    for (const [view, { schema }] of Object.entries(resource.views ?? {})) {
      offer(schema, () => responseSchema(resource, registry, view).schema);
    }
  }
  return offered;
}

function referencesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === '$ref' && typeof inner === 'string' ? [inner.slice(inner.lastIndexOf('/') + 1)] : referencesIn(inner),
  );
}
