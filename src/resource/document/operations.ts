import { Problem } from '../../lib/problem.ts';
import type { Query } from '../../platform/db/database.ts';
import { checkHoldsWrite, checkNotImpersonated, checkSuperuser, holdsOn } from '../access/access.ts';
import { acceptedBy } from '../access/credentials.ts';
import { checkNotInUse, lockUses } from '../access/sign-in-use.ts';
import { type Call, type Reply, requireActor } from '../call.ts';
import { isWritable, type Row } from '../fields/field.ts';
import { list } from '../list/list.ts';
import { keyField } from '../read/plan.ts';
import { findVisible } from '../read/read.ts';
import { retrieve } from '../read/retrieve.ts';
import { usedBy } from '../read/used-by.ts';
import type { Action, ActionInput, Engine, Resource } from '../resource.ts';
import type { Verb } from '../verb.ts';
import { parseAlone } from '../write/parse.ts';
import { plainUpload, readOnce, withFile } from '../write/upload.ts';
import { inWrite } from '../write/write.ts';
import { create, destroy, update } from '../write/write-row.ts';
import { arrayOf } from './json-schema.ts';
import type { Parameter } from './openapi-types.ts';
import type { Body, Method, NamedSchema, Operation } from './operation.ts';
import { paginatedSchema, requestSchema, responseSchema } from './schemas.ts';
import { hasButton, pageOf, withLabel, withLabels } from './ui-metadata/button.ts';

/** All operations of a resource. */
export function operationsOf(resource: Resource, engine: Engine): Operation[] {
  const verbs = resource.verbs.map((verb) => verbOperation(verb, resource, engine));
  const actions = (resource.actions ?? []).map((action) => actionOperation(action, resource, engine));
  return [...verbs, ...actions];
}

interface VerbFacts {
  readonly method: Method;
  readonly below: string;
  readonly suffix: string;
  readonly summary: (names: readonly [string, string]) => string;
  readonly handle: (engine: Engine, resource: Resource, call: Call) => Promise<Reply>;
}

const verbs: Record<Verb, VerbFacts> = {
  list: { method: 'GET', below: '', suffix: 'list', summary: ([, many]) => `List ${many}`, handle: list },
  create: { method: 'POST', below: '', suffix: 'create', summary: ([one]) => `Create ${one}`, handle: create },
  retrieve: { method: 'GET', below: 'key', suffix: 'retrieve', summary: ([one]) => `Read ${one}`, handle: retrieve },
  update: {
    method: 'PUT',
    below: 'key',
    suffix: 'update',
    summary: ([one]) => `Replace ${one}`,
    handle: (engine, resource, call) => update(engine, resource, call, 'replace'),
  },
  partial_update: {
    method: 'PATCH',
    below: 'key',
    suffix: 'partial_update',
    summary: ([one]) => `Change ${one}`,
    handle: (engine, resource, call) => update(engine, resource, call, 'patch'),
  },
  destroy: { method: 'DELETE', below: 'key', suffix: 'destroy', summary: ([one]) => `Delete ${one}`, handle: destroy },
  used_by: {
    method: 'GET',
    below: 'key/used_by',
    suffix: 'used_by_list',
    summary: ([one]) => `List what uses ${one}`,
    handle: usedBy,
  },
};

const text = { type: 'string' } as const;
const listParameters: Parameter[] = [
  {
    name: 'ordering',
    in: 'query',
    schema: text,
    description: 'Members to order by, separated by commas; a minus in front descends.',
  },
  {
    name: 'page',
    in: 'query',
    schema: {
      anyOf: [
        { type: 'integer', minimum: 1 },
        { type: 'string', enum: ['last'] },
      ],
    },
    description: 'Which page; `last` is the last one.',
    allowEmptyValue: true,
  },
  {
    name: 'page_size',
    in: 'query',
    schema: { anyOf: [{ type: 'integer' }, text] },
    description:
      'How many results make a page, at most 10,000. What is no positive number is ignored: 100 make a page then.',
    allowEmptyValue: true,
  },
  { name: 'search', in: 'query', schema: text, description: 'Words that must all be found in the searched members.' },
];
export const dryRun: Parameter = {
  name: 'dry_run',
  in: 'query',
  schema: { type: 'boolean' },
  description: 'Answer what would come of the write, and write nothing.',
};
export const ifMatch: Parameter = {
  name: 'If-Match',
  in: 'header',
  schema: text,
  description: 'Write only when the object is still as it was read.',
};

export const ifNoneMatch: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  schema: text,
  description: 'Answer 304 without a body when the object is still as it was read.',
};

function verbOperation(verb: Verb, resource: Resource, engine: Engine): Operation {
  const facts = verbs[verb];
  const parameters: Parameter[] = [];
  if (facts.below) parameters.push(pathParameter(resource));
  if (verb === 'list') {
    const filters = Object.entries(resource.filterTable).map(
      ([name, filter]): Parameter => ({ name, in: 'query', schema: filter.schema, allowEmptyValue: true }),
    );
    parameters.push(...filters, ...listParameters);
  }
  if (verb === 'retrieve') parameters.push(ifNoneMatch);
  if (verb === 'list' || verb === 'retrieve') parameters.push(...leavingOut(resource));
  if (facts.method !== 'GET') parameters.push(dryRun);
  if (facts.method === 'PUT' || facts.method === 'PATCH' || facts.method === 'DELETE') parameters.push(ifMatch);
  return {
    id: `${resource.operationPrefix}_${facts.suffix}`,
    method: facts.method,
    path: pathOf(resource, facts.below.replace('key', `{${resource.param}}`)),
    tag: resource.path.split('/')[1] ?? '',
    summary: facts.summary(resource.names),
    description: verb === 'update' ? whatStays(resource) : undefined,
    reaches: facts.method === 'GET' ? undefined : resource.reaches,
    credentials: facts.method === 'GET' ? undefined : resource.writtenWith,
    recentAuthentication: resource.recentAuthentication?.[verb],
    parameters,
    // Lazy: schemas are only needed for the API document.
    get body() {
      return verbBody(verb, resource, engine);
    },
    get answer() {
      return verbAnswer(verb, resource, engine);
    },
    handle: (call) => facts.handle(engine, resource, call),
  };
}

/** The parameters that omit nested objects. */
function leavingOut({ allFields }: Resource): Parameter[] {
  const nests = Object.values(allFields).flatMap(({ storage }) => (storage.in === 'nested' ? [storage.nest] : []));
  const names = new Set(nests.flatMap(({ unless }) => unless ?? []));
  return [...names].map((name) => ({ name, in: 'query', schema: { type: 'boolean', default: true } }));
}

/** Documents what a PUT does with absent members. */
function whatStays({ allFields }: Resource): string {
  const reset = Object.entries(allFields).filter(([, field]) => isWritable(field) && field.resetOnPut);
  const names = reset.map(([name]) => `\`${name}\``).join(', ');
  const but = names && ` Only ${names} get${reset.length === 1 ? 's its default' : ' their defaults'} then.`;
  return `Members that the body leaves out keep their values; defaults are for new objects.${but}`;
}

const pathOf = (resource: Resource, below: string) => `${resource.path}${below}${below && '/'}`;

const pathParameter = (resource: Resource): Parameter => ({
  name: resource.param,
  in: 'path',
  schema: resource.lookup === 'pk' ? keyField(resource).schema : text,
  required: true,
});

function verbBody(verb: Verb, { allFields, schema }: Resource, { registry }: Engine): Body | undefined {
  if (!Object.values(allFields).some(isWritable)) return undefined;
  if (verb === 'create' || verb === 'update') {
    return { schema: { name: `${schema}Request`, schema: requestSchema(allFields, false, registry) }, required: true };
  }
  if (verb !== 'partial_update') return undefined;
  return { schema: { name: `Patched${schema}Request`, schema: requestSchema(allFields, true, registry) } };
}

function verbAnswer(verb: Verb, resource: Resource, { registry }: Engine) {
  if (verb === 'destroy') return { status: 204 };
  if (verb === 'used_by') {
    return { status: 200, schema: { schema: arrayOf({ $ref: '#/components/schemas/UsedBy' }) } };
  }
  const schema = responseSchema(resource, registry);
  if (verb === 'list') return { status: 200, schema: paginatedSchema(schema) };
  return { status: verb === 'create' ? 201 : 200, schema };
}

const actionSuffix = { GET: 'retrieve', POST: 'create', PUT: 'update', PATCH: 'partial_update' } as const;

function actionOperation(action: Action, resource: Resource, engine: Engine): Operation {
  const below = action.on === 'row' ? `{${resource.param}}/${action.name}` : action.name;
  const name = action.name.replaceAll('/', '_');
  const { schema, schemaName, status, file, fileSchema } = action.answer;
  const isOffered = hasButton(action.page);
  const answer: NamedSchema | undefined =
    schema === 'self'
      ? responseSchema(resource, engine.registry)
      : schema && { schema: isOffered ? withLabels(schema) : schema, ...(schemaName && { name: schemaName }) };
  const suffix =
    action.operation ??
    `${name}_${schema !== 'self' && schema?.type === 'array' ? 'list' : actionSuffix[action.method]}`;
  return {
    id: `${resource.operationPrefix}_${suffix}`,
    method: action.method,
    path: pathOf(resource, below),
    tag: resource.path.split('/')[1] ?? '',
    summary: action.summary,
    page: pageOf(action, resource),
    anonymous: action.access === 'anyone',
    reaches: action.reaches,
    credentials: acceptedBy(action),
    recentAuthentication: action.recentAuthentication,
    parameters: [
      ...(action.on === 'row' ? [pathParameter(resource)] : []),
      ...Object.entries(action.query ?? {}).map(
        ([name, schema]): Parameter => ({
          ...{ name, in: 'query', allowEmptyValue: true },
          schema: isOffered ? withLabel(name, schema) : schema,
        }),
      ),
      ...(action.method === 'GET' ? [] : [dryRun]),
    ],
    ...(action.body && { body: actionBody(action, engine) }),
    ...(action.upload && !action.body && { body: plainUpload }),
    answer: { status, ...(answer && { schema: answer }), ...(file && { file }), ...(fileSchema && { fileSchema }) },
    handle: (call) => runAction(action, resource, engine, call),
  };
}

function actionBody(action: Action, { registry }: Engine): Body {
  const members = requestSchema(action.body ?? {}, action.method === 'PATCH', registry);
  const schema = action.upload ? withFile(members) : members;
  return {
    schema: { schema, ...(action.bodySchema && { name: action.bodySchema }) },
    required: Boolean(schema.required),
    ...(action.upload && { upload: true }),
  };
}

async function runAction(action: Action, resource: Resource, engine: Engine, original: Call): Promise<Reply> {
  const { registry } = engine;
  checkSetAccess(action, original);
  const call = action.upload && action.body ? await readOnce(original) : original;
  const row: Row = action.on === 'row' ? await actionRow(action, resource, engine, call) : {};
  if (action.reaches && action.on === 'set') checkSuperuser(requireActor(call));
  const body = action.body ? await parseAlone(action.body, call, registry) : { values: {}, given: new Set<string>() };
  const input: ActionInput = { call, engine, registry, row, ...body };
  const prepared = await action.prepare?.(input);
  const value =
    action.method === 'GET'
      ? await action.run({ ...input, prepared, tx: call.db.read })
      : await inWrite(call, resource, async (tx) => {
          await lockUses(resource, call, registry, tx);
          if (action.reaches && action.on === 'row') await checkRowNotInUse(resource, input, tx);
          return action.run({ ...input, prepared, tx });
        });
  return isReply(value) ? value : { status: action.answer.status, ...(value !== undefined && { body: value }) };
}

async function checkRowNotInUse(resource: Resource, { call, registry, row }: ActionInput, tx: Query): Promise<void> {
  const { kind, pk } = row;
  const actual = typeof kind === 'string' ? (registry.find(kind) ?? resource) : resource;
  if (typeof pk !== 'string' && typeof pk !== 'number') throw new Error(`${resource.model}: the row has no key`);
  await checkNotInUse(actual, pk, { call, registry, tx });
}

/** The result of an action that sets its own status or headers. */
export class ReplyWith implements Reply {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly fault?: unknown;
  constructor(status: number, body?: unknown, headers?: Readonly<Record<string, string | string[]>>, fault?: unknown) {
    this.status = status;
    this.body = body;
    if (headers) this.headers = headers;
    if (fault) this.fault = fault;
  }
}
const isReply = (value: unknown): value is Reply => value instanceof ReplyWith;

function checkSetAccess({ access, on }: Action, call: Call): void {
  if (access === 'anyone') return;
  const actor = requireActor(call);
  if (access === 'superuser' && !actor.isSuperuser)
    throw new Problem('permission_denied', 'Only superusers may do this.');
  if (typeof access === 'object' && on === 'set' && !actor.holds(access.permission))
    throw Problem.lacks(access.permission);
}

async function actionRow({ access, method }: Action, resource: Resource, engine: Engine, call: Call): Promise<Row> {
  const found = await findVisible({ engine, resource, call, tx: call.db.read }, 'know');
  if (method !== 'GET') checkNotImpersonated(resource, { ...found.values, pk: found.pk }, requireActor(call));
  if (access === 'change')
    await checkHoldsWrite(resource, 'change', found.values, { call, registry: engine.registry, tx: call.db.read });
  if (typeof access === 'object') {
    const actor = requireActor(call);
    if (!(await holdsOn(actor, access.permission, resource, found.pk, call.db.read)))
      throw Problem.lacks(access.permission);
  }
  return { ...found.values, pk: found.pk };
}
