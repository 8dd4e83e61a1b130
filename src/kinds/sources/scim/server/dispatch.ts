import { ScimError } from '../protocol/scim-error.ts';
import { bulk } from './bulk.ts';
import { resourceType, resourceTypes, schema, schemas, serviceProviderConfig } from './discovery.ts';
import { NotOffered } from './errors.ts';
import { groupType } from './group-type.ts';
import { listByBody, listByQuery, readOne } from './read.ts';
import type { ResourceType } from './resource-type.ts';
import type { ScimRequest, ScimResponse } from './scim-request.ts';
import { userType } from './user-type.ts';
import { create, patch, remove, replace } from './write.ts';

type Answer = (exchange: ScimRequest) => ScimResponse | Promise<ScimResponse>;
type Offered = Readonly<Record<string, Answer>>;

/** Answers a request by its path and method (RFC 7644, section 3.2). */
export async function dispatch(exchange: ScimRequest): Promise<ScimResponse> {
  const offered = offeredAt(exchange.path);
  if (!offered) throw new ScimError(404, 'There is nothing at this address.');
  const answer = Object.hasOwn(offered, exchange.method) ? offered[exchange.method] : undefined;
  if (!answer) throw new NotOffered(exchange.method, Object.keys(offered));
  return answer(exchange);
}

function offeredAt([first, second, ...rest]: readonly string[]): Offered | null {
  if (rest.length > 0) return null;
  if (first === undefined) return { GET: welcome };
  const type = [userType, groupType].find(({ endpoint }) => endpoint === first);
  if (type) return ofType(type, second);
  if (second === undefined) return Object.hasOwn(plain, first) ? (plain[first] ?? null) : null;
  if (first === 'ResourceTypes') return { GET: (exchange) => resourceType(exchange, second) };
  if (first === 'Schemas') return { GET: (exchange) => schema(exchange, second) };
  return null;
}

const plain: Readonly<Record<string, Offered>> = {
  ServiceProviderConfig: { GET: serviceProviderConfig },
  ResourceTypes: { GET: resourceTypes },
  Schemas: { GET: schemas },
  Bulk: { POST: (exchange) => bulk(exchange, dispatch) },
  '.search': { POST: (exchange) => listByBody(exchange, [userType, groupType]) },
};

function ofType(type: ResourceType, id: string | undefined): Offered {
  if (id === undefined) {
    return { GET: (exchange) => listByQuery(exchange, [type]), POST: (exchange) => create(exchange, type) };
  }
  if (id === '.search') return { POST: (exchange) => listByBody(exchange, [type]) };
  return {
    GET: (exchange) => readOne(exchange, type, id),
    PUT: (exchange) => replace(exchange, type, id),
    PATCH: (exchange) => patch(exchange, type, id),
    DELETE: (exchange) => remove(exchange, type, id),
  };
}

const welcome: Answer = () => ({
  status: 200,
  body: { message: 'Use this base-URL with a SCIM-compatible system.' },
});
