import { listMessageId } from '../../../../lib/scim-urns.ts';
import { ScimError } from '../protocol/scim-error.ts';
import { maxOperations } from './bulk.ts';
import { groupType } from './group-type.ts';
import { maxResults } from './read.ts';
import type { ResourceType } from './resource-type.ts';
import { describeAttribute, enterpriseSchema, groupSchema, type Schema, userSchema } from './schemas.ts';
import { baseUrl, maxBytes, type ScimRequest, type ScimResponse } from './scim-request.ts';
import { userType } from './user-type.ts';

const urn = 'urn:ietf:params:scim:schemas:core:2.0:';

/** RFC 7643, section 5 */
export function serviceProviderConfig(exchange: ScimRequest): ScimResponse {
  checkNoFilter(exchange);
  const yes = { supported: true };
  const body = {
    schemas: [`${urn}ServiceProviderConfig`],
    patch: yes,
    bulk: { supported: true, maxOperations, maxPayloadSize: maxBytes },
    filter: { supported: true, maxResults },
    changePassword: { supported: false },
    sort: yes,
    etag: yes,
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'OAuth Bearer Token',
        description: 'The token of the source, in the Authorization header.',
        specUri: 'https://www.rfc-editor.org/rfc/rfc6750',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${baseUrl(exchange)}/ServiceProviderConfig` },
  };
  return { status: 200, body };
}

/** RFC 7643, section 6 */
export const resourceTypes = (exchange: ScimRequest): ScimResponse =>
  listOf(exchange, [userType, groupType], describeType);
export const resourceType = (exchange: ScimRequest, name: string): ScimResponse =>
  oneOf(exchange, [userType, groupType], ({ name: own }) => own === name, describeType);

/** RFC 7643, section 7 */
export const schemas = (exchange: ScimRequest): ScimResponse =>
  listOf(exchange, [userSchema, groupSchema, enterpriseSchema], describeSchema);
export const schema = (exchange: ScimRequest, id: string): ScimResponse =>
  oneOf(exchange, [userSchema, groupSchema, enterpriseSchema], ({ id: own }) => own === id, describeSchema);

function describeType(type: ResourceType, base: string) {
  return {
    schemas: [`${urn}ResourceType`],
    id: type.name,
    name: type.name,
    endpoint: `/${type.endpoint}`,
    description: type.schema.description,
    schema: type.schema.id,
    ...(type.extensions.length > 0 && {
      schemaExtensions: type.extensions.map(({ id }) => ({ schema: id, required: false })),
    }),
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${type.name}` },
  };
}

function describeSchema({ id, name, description, attributes }: Schema, base: string) {
  return {
    schemas: [`${urn}Schema`],
    id,
    name,
    description,
    attributes: attributes.map(describeAttribute),
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${id}` },
  };
}

type Describe<T> = (one: T, base: string) => Record<string, unknown>;

function listOf<T>(exchange: ScimRequest, all: readonly T[], describe: Describe<T>): ScimResponse {
  checkNoFilter(exchange);
  const body = {
    schemas: [listMessageId],
    totalResults: all.length,
    itemsPerPage: all.length,
    startIndex: 1,
    Resources: all.map((one) => describe(one, baseUrl(exchange))),
  };
  return { status: 200, body };
}

function oneOf<T>(
  exchange: ScimRequest,
  all: readonly T[],
  isMeant: (one: T) => boolean,
  describe: Describe<T>,
): ScimResponse {
  const found = all.find(isMeant);
  if (!found) throw new ScimError(404, 'Not found.');
  return { status: 200, body: describe(found, baseUrl(exchange)) };
}

/** RFC 7644, section 4 */
function checkNoFilter({ query }: ScimRequest): void {
  if (query.has('filter')) throw new ScimError(403, 'Filters are not offered here.');
}
