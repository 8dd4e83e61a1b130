import type { Operation } from '../../resource/operation.ts';
import { operationsOf } from '../../resource/operations.ts';
import type { Engine, Resource } from '../../resource/resource.ts';

/** An operation that reads, and what it is called with. */
export interface Reading {
  readonly resource: Resource;
  readonly operation: Operation;
  readonly verb: 'list' | 'retrieve' | 'used_by' | 'other';
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
}

/** The operation of a resource that reads at this path; null if there is none. Files are not for pages. */
export function operationAt(engine: Engine, path: string): Reading | null {
  const url = URL.parse(path, 'http://this.invalid');
  const [resource] = engine.registry.resources
    .filter((one) => url?.pathname.startsWith(one.path))
    .toSorted((one, other) => other.path.length - one.path.length);
  if (!url || !resource) return null;
  const [found] = operationsOf(resource, engine)
    .flatMap((operation) => {
      const params = operation.method === 'GET' ? paramsAt(operation.path, url.pathname) : null;
      return params ? [{ operation, params }] : [];
    })
    // A path without a variable comes before one that has a key in its place.
    .toSorted((one, other) => Object.keys(one.params).length - Object.keys(other.params).length);
  // An operation makes the schemas of its answer whenever it is asked for one: only the one that is found is.
  if (!found || found.operation.answer.file !== undefined) return null;
  const { operation, params } = found;
  const verb = verbOf(resource, operation);
  return { resource, operation, verb, params, query: queryFor(resource, operation, verb, url.searchParams) };
}

function verbOf({ operationPrefix }: Resource, { id }: Operation): Reading['verb'] {
  if (id === `${operationPrefix}_list`) return 'list';
  if (id === `${operationPrefix}_retrieve`) return 'retrieve';
  return id === `${operationPrefix}_used_by_list` ? 'used_by' : 'other';
}

/** The values of a template's variables in a path; null if it does not fit. */
function paramsAt(template: string, path: string): Record<string, string> | null {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const pattern = new RegExp(`^${template.replaceAll(/\{\w+\}/g, '([^/]+)')}$`);
  const found = pattern.exec(path);
  if (!found) return null;
  try {
    return Object.fromEntries(names.map((name, at) => [name, decodeURIComponent(found[at + 1] ?? '')]));
  } catch {
    return null;
  }
}

/** The parameters that the operation knows; in lists also those that pages always send. */
function queryFor(
  { page }: Resource,
  { parameters }: Operation,
  verb: Reading['verb'],
  given: URLSearchParams,
): URLSearchParams {
  const known = new Set(parameters.flatMap(({ in: place, name }) => (place === 'query' ? [name] : [])));
  const query = new URLSearchParams([...given].filter(([name]) => known.has(name)));
  if (verb === 'list') for (const [name, value] of Object.entries(page?.always ?? {})) query.set(name, value);
  return query;
}
