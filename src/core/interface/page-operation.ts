import { createRouter } from '../../platform/http/router.ts';
import type { Operation } from '../../resource/document/operation.ts';
import { operationsOf } from '../../resource/document/operations.ts';
import { type Endpoint, endpointOperation } from '../../resource/endpoint.ts';
import type { Engine, Resource } from '../../resource/resource.ts';

/** A read operation with its parameters. */
export interface ReadOperation {
  /** Null for operations without rows. */
  readonly resource: Resource | null;
  readonly operation: Operation;
  readonly verb: 'list' | 'retrieve' | 'used_by' | 'other';
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
}

/** Finds the read operation of a resource or of a page; null if there is none. Downloads are excluded. */
export type FindReadOperation = (path: string) => ReadOperation | null;

export function createFindReadOperation(engine: Engine, endpoints: readonly Endpoint[]): FindReadOperation {
  const router = createRouter<Pick<ReadOperation, 'resource' | 'operation'>>();
  for (const resource of engine.registry.resources) {
    for (const operation of operationsOf(resource, engine)) {
      if (operation.method === 'GET') router.add('GET', operation.path, { resource, operation });
    }
  }
  for (const endpoint of endpoints) {
    const operation = endpointOperation(endpoint, engine);
    if (operation.method === 'GET') router.add('GET', operation.path, { resource: null, operation });
  }
  return (path) => {
    const url = URL.parse(path, 'http://this.invalid');
    const match = url && router.find(url.pathname);
    const found = match?.methods.get('GET');
    // An operation makes the schemas of its answer whenever it is asked for one: only the one that is found is.
    if (!url || !match || !found || found.operation.answer.file !== undefined) return null;
    const { resource, operation } = found;
    const verb = verbOf(resource, operation);
    return { ...found, verb, params: match.params, query: queryFor(resource, operation, verb, url.searchParams) };
  };
}

function verbOf(resource: Resource | null, { id }: Operation): ReadOperation['verb'] {
  if (!resource) return 'other';
  const { operationPrefix } = resource;
  if (id === `${operationPrefix}_list`) return 'list';
  if (id === `${operationPrefix}_retrieve`) return 'retrieve';
  return id === `${operationPrefix}_used_by_list` ? 'used_by' : 'other';
}

/** The parameters of the operation; for lists also those that pages always send. */
function queryFor(
  resource: Resource | null,
  { parameters }: Operation,
  verb: ReadOperation['verb'],
  given: URLSearchParams,
): URLSearchParams {
  const known = new Set(parameters.flatMap(({ in: place, name }) => (place === 'query' ? [name] : [])));
  const query = new URLSearchParams([...given].filter(([name]) => known.has(name)));
  if (verb === 'list') for (const [name, value] of Object.entries(resource?.page?.always ?? {})) query.set(name, value);
  return query;
}
