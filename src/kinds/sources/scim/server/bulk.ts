import { isJsonObject } from '../../../../lib/json.ts';
import { member, type ScimObject } from '../protocol/matches.ts';
import { ScimError } from '../protocol/scim-error.ts';
import { textMember } from './document.ts';
import { errorBody, scimErrorOf } from './errors.ts';
import { wholeNumber } from './read.ts';
import { baseUrl, type ScimRequest, type ScimResponse } from './scim-request.ts';

export const maxOperations = 500;

type Run = (exchange: ScimRequest) => Promise<ScimResponse>;

interface BulkOperation {
  readonly method: string;
  readonly path: string;
  readonly bulkId: string | undefined;
  readonly version: string | undefined;
  readonly data: unknown;
  /** The bulkIds that its path and data name. */
  readonly references: ReadonlySet<string>;
}

/**
 * Many operations in one request (RFC 7644, section 3.7), each in a transaction of its own. Those that name what others
 * create wait for them.
 */
export async function bulk(exchange: ScimRequest, run: Run): Promise<ScimResponse> {
  const body = exchange.body();
  const list = isJsonObject(body) ? member(body, 'Operations') : undefined;
  if (!isJsonObject(body) || !Array.isArray(list))
    throw new ScimError(400, 'The body has no Operations.', 'invalidSyntax');
  if (list.length > maxOperations) {
    throw new ScimError(413, `At most ${maxOperations} operations can be sent at once.`, 'tooMany');
  }
  const failOnErrors = wholeNumber('failOnErrors', member(body, 'failOnErrors'), 0) || Number.POSITIVE_INFINITY;
  const operations = list.map(readOperation);
  const results = await runAll(exchange, operations, failOnErrors, run);
  return {
    status: 200,
    body: {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkResponse'],
      Operations: results.filter((result) => result !== undefined),
    },
  };
}

function readOperation(entry: unknown): BulkOperation {
  if (!isJsonObject(entry)) throw new ScimError(400, 'An operation must be an object.', 'invalidSyntax');
  const [method, path, bulkId, version] = ['method', 'path', 'bulkId', 'version'].map((name) => {
    const value = member(entry, name);
    return typeof value === 'string' ? value : undefined;
  });
  const operation = { path: path ?? '', data: member(entry, 'data') };
  return { ...operation, method: method?.toUpperCase() ?? '', bulkId, version, references: referencesOf(operation) };
}

async function runAll(
  exchange: ScimRequest,
  operations: readonly BulkOperation[],
  failOnErrors: number,
  run: Run,
): Promise<(ScimObject | undefined)[]> {
  const ids = new Map<string, string>();
  const results: (ScimObject | undefined)[] = operations.map(() => undefined);
  let waiting = operations.map((operation, index) => ({ operation, index }));
  let errors = 0;
  for (;;) {
    const isKnown = ({ references }: BulkOperation) => references.isSubsetOf(ids);
    const isStuck = !waiting.some(({ operation }) => isKnown(operation));
    const later: typeof waiting = [];
    for (const { operation, index } of waiting) {
      if (errors >= failOnErrors) return results;
      const isReady = isKnown(operation);
      if (!isReady && !isStuck) {
        later.push({ operation, index });
        continue;
      }
      const result = await runOne(exchange, operation, ids, isReady, run);
      results[index] = result;
      if (Number(result.status) >= 400) errors += 1;
    }
    if (later.length === 0) return results;
    waiting = later;
  }
}

async function runOne(
  exchange: ScimRequest,
  operation: BulkOperation,
  ids: Map<string, string>,
  isReady: boolean,
  run: Run,
): Promise<ScimObject> {
  const { method, bulkId, version } = operation;
  const head = { method, ...(bulkId !== undefined && { bulkId }) };
  try {
    if (!isReady)
      throw new ScimError(409, 'The bulkId that is referred to names nothing that was created.', 'invalidValue');
    const { status, body, headers } = await run(exchangeOf(exchange, operation, ids));
    const id = textMember(body, 'id');
    if (method === 'POST' && bulkId !== undefined && id !== undefined) ids.set(bulkId, id);
    const location = textMember(body?.meta, 'location') ?? `${baseUrl(exchange)}${resolved(operation.path, ids)}`;
    return { ...head, location, ...(headers?.etag && { version: headers.etag }), status: String(status) };
  } catch (error) {
    const known = scimErrorOf(error);
    if (!known) throw error;
    return {
      ...head,
      ...(version !== undefined && { version }),
      ...(method !== 'POST' && { location: `${baseUrl(exchange)}${resolved(operation.path, ids)}` }),
      status: String(known.status),
      response: errorBody(known),
    };
  }
}

const offered = ['POST', 'PUT', 'PATCH', 'DELETE'];

function exchangeOf(
  exchange: ScimRequest,
  { method, path, bulkId, version, data }: BulkOperation,
  ids: Map<string, string>,
) {
  const segments = resolved(path, ids).split('/').slice(1);
  const isOffered = offered.includes(method) && /^\/(Users|Groups)(\/[^/]+)?$/.test(path);
  if (!isOffered) throw new ScimError(400, 'A bulk operation must write to /Users or /Groups.', 'invalidPath');
  if (method === 'POST' && bulkId === undefined) throw new ScimError(400, 'A POST needs a bulkId.', 'invalidSyntax');
  const whole = data === undefined ? {} : withIds(data, ids);
  return {
    ...exchange,
    method,
    path: segments,
    query: new URLSearchParams(),
    ifMatch: version,
    ifNoneMatch: undefined,
    body: () => whole,
  };
}

const reference = /^bulkId:(.+)$/;

function referencesOf({ path, data }: Pick<BulkOperation, 'path' | 'data'>): ReadonlySet<string> {
  const found = path.split('/').map((segment) => reference.exec(segment)?.[1]);
  const walk = (value: unknown): (string | undefined)[] => {
    if (typeof value === 'string') return [reference.exec(value)?.[1]];
    return typeof value === 'object' && value !== null ? Object.values(value).flatMap(walk) : [];
  };
  return new Set([...found, ...walk(data)].filter((id) => id !== undefined));
}

const resolved = (path: string, ids: ReadonlyMap<string, string>): string =>
  path
    .split('/')
    .map((segment) => idOf(segment, ids))
    .join('/');

const idOf = (text: string, ids: ReadonlyMap<string, string>): string =>
  ids.get(reference.exec(text)?.[1] ?? '') ?? text;

function withIds(value: unknown, ids: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return idOf(value, ids);
  if (Array.isArray(value)) return value.map((one) => withIds(one, ids));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withIds(one, ids)]));
}
