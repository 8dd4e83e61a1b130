import { Problem } from '../lib/problem.ts';
import type { Query } from '../platform/db/database.ts';
import type { Credential } from './access/actor.ts';
import { acceptedBy } from './access/credentials.ts';
import type { RecentAuthentication } from './access/recent-authentication.ts';
import type { Answer } from './answer.ts';
import { type Call, type Reply, requireActor } from './call.ts';
import { type JsonSchema, stringSchema } from './document/json-schema.ts';
import type { Parameter } from './document/openapi-types.ts';
import type { Body, Method, Operation } from './document/operation.ts';
import { dryRun, ifMatch, ifNoneMatch, ReplyWith } from './document/operations.ts';
import { requestSchema } from './document/schemas.ts';
import { hasButton, withLabel, withLabels } from './document/ui-metadata/button.ts';
import type { OperationPage } from './document/ui-metadata/page.ts';
import type { Fields, ValuesOf } from './fields/field.ts';
import { taggedReply } from './read/etag.ts';
import type { NoFields } from './read/stored-row.ts';
import type { Engine } from './resource.ts';
import { parseAlone } from './write/parse.ts';
import { inWrite } from './write/write.ts';

/** An operation without rows: settings, reports, facts about the caller. Rows belong in resources. */
export interface Endpoint<B extends Fields = Fields, Prepared = unknown> {
  /** The full operation id: `admin_settings_retrieve`. */
  readonly id: string;
  readonly method: Method;
  /** `/admin/settings/`; variable segments in braces. */
  readonly path: string;
  /** Required if the path is below that of a resource. */
  readonly page?: OperationPage;
  readonly summary: string;
  /** A permission must be held globally. A function refuses by throwing, before the body is parsed. */
  readonly access: EndpointAccess;
  /** Accepted credentials; by default any. */
  readonly credentials?: readonly Credential[];
  /** Whether a session must be recently authenticated (`Operation`). */
  readonly recentAuthentication?: RecentAuthentication;
  /** The schemas of variable path segments; by default text. */
  readonly params?: Readonly<Record<string, JsonSchema>>;
  readonly query?: readonly Omit<Parameter, 'in'>[];
  readonly body?: B;
  readonly bodySchema?: string;
  readonly answer: Answer & { readonly schema?: JsonSchema };
  /** Whether reads have an ETag. Writes check `If-Match` themselves then (`checkIfMatch`). */
  readonly isTagged?: boolean;
  /** Whether `run` opens transactions itself; `tx` only reads then. */
  readonly opensTransactions?: boolean;
  /** Slow work and outgoing calls, before the transaction. */
  prepare?(input: EndpointInput<B>): Promise<Prepared>;
  /** Returns the response body, or a `ReplyWith`. `tx` is a transaction, except for GET, where it only reads. */
  run(input: EndpointInput<B> & { readonly tx: Query; readonly prepared: Prepared }): Promise<unknown>;
}

export type EndpointAccess =
  | 'anyone'
  | 'authenticated'
  | 'superuser'
  | { readonly permission: string }
  | ((input: Pick<EndpointInput, 'call' | 'engine'>) => Promise<unknown>);

export interface EndpointInput<B extends Fields = Fields> {
  readonly call: Call;
  readonly engine: Engine;
  readonly values: ValuesOf<B>;
  /** The members that the request contains; the others have their defaults (in a PATCH: are missing). */
  readonly given: ReadonlySet<string>;
}

/** Infers the types of the body and of what is prepared, and erases them so that all endpoints fit one list. */
export const defineEndpoint = <B extends Fields = NoFields, Prepared = unknown>(
  endpoint: Endpoint<B, Prepared>,
): Endpoint => endpoint;

export function endpointOperation(endpoint: Endpoint, engine: Engine): Operation {
  const { id, method, path, summary, access, answer } = endpoint;
  const { schemaName, status, file, fileSchema } = answer;
  const schema = hasButton(endpoint.page) && answer.schema ? withLabels(answer.schema) : answer.schema;
  return {
    id,
    method,
    path,
    tag: path.split('/')[1] ?? '',
    summary,
    page: endpoint.page,
    anonymous: access === 'anyone',
    credentials: acceptedBy(endpoint),
    recentAuthentication: endpoint.recentAuthentication,
    parameters: parametersOf(endpoint),
    ...(endpoint.body && { body: bodyOf(endpoint, endpoint.body, engine) }),
    answer: {
      status,
      ...(schema && { schema: { schema, ...(schemaName && { name: schemaName }) } }),
      ...(file && { file }),
      ...(fileSchema && { fileSchema }),
    },
    handle: (call) => serve(endpoint, engine, call),
  };
}

function parametersOf({ path, params = {}, query = [], method, page, isTagged }: Endpoint): Parameter[] {
  const conditions = method === 'GET' ? [ifNoneMatch] : [ifMatch];
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return [
    ...names.map((name): Parameter => ({ name, in: 'path', schema: params[name] ?? stringSchema, required: true })),
    ...query.map(
      ({ name, schema, ...rest }): Parameter => ({
        ...{ name, ...rest, in: 'query' },
        schema: hasButton(page) ? withLabel(name, schema) : schema,
      }),
    ),
    ...(method === 'GET' ? [] : [dryRun]),
    ...(isTagged ? conditions : []),
  ];
}

function bodyOf({ method, bodySchema }: Endpoint, fields: Fields, { registry }: Engine): Body {
  const schema = requestSchema(fields, method === 'PATCH', registry);
  return { schema: { schema, ...(bodySchema && { name: bodySchema }) }, required: Boolean(schema.required) };
}

async function serve(endpoint: Endpoint, engine: Engine, call: Call): Promise<Reply> {
  await checkAccess(endpoint.access, call, engine);
  const body = endpoint.body
    ? await parseAlone(endpoint.body, call, engine.registry)
    : { values: {}, given: new Set<string>() };
  const input: EndpointInput = { call, engine, values: body.values, given: body.given };
  const prepared = await endpoint.prepare?.(input);
  const value =
    endpoint.method === 'GET' || endpoint.opensTransactions
      ? await endpoint.run({ ...input, prepared, tx: call.db.read })
      : await inWrite(call, null, (tx) => endpoint.run({ ...input, prepared, tx }));
  if (value instanceof ReplyWith) return value;
  if (endpoint.isTagged && endpoint.method === 'GET') return taggedReply(call, value);
  return { status: endpoint.answer.status, ...(value !== undefined && { body: value }) };
}

async function checkAccess(access: EndpointAccess, call: Call, engine: Engine): Promise<void> {
  if (access === 'anyone') return;
  const actor = requireActor(call);
  if (access === 'authenticated') return;
  if (typeof access === 'function') return void (await access({ call, engine }));
  if (access === 'superuser') {
    if (!actor.isSuperuser) throw new Problem('permission_denied', 'Only superusers may do this.');
  } else if (!actor.holds(access.permission)) throw Problem.lacks(access.permission);
}
