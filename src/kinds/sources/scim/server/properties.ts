import { mergeMappings } from '../../../../core/mapping/evaluate.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import type { Query } from '../../../../platform/db/database.ts';
import { loadMappings, userPath } from '../../../../source/properties.ts';
import type { ScimObject } from '../protocol/matches.ts';
import { scimMappingModel } from '../scim-mapping.resource.ts';
import type { Properties, ResourceType } from './resource-type.ts';
import type { ScimRequest } from './scim-request.ts';

/**
 * What the document, and the mappings of the source over it, make of a user or group. `before` is the document that a
 * PATCH was applied to. Throws `MappingFailed`.
 */
export async function mapProperties(
  { needs, source }: ScimRequest,
  type: ResourceType,
  sent: ScimObject,
  { before, isNew }: { readonly before: ScimObject | null; readonly isNew: boolean },
  query: Query,
): Promise<Properties> {
  const base = type.propertiesOf(sent, before);
  // A path changed later is kept.
  if (isNew && type.properties.includes('path')) base.path = userPath(source);
  const mappings = await loadMappings(type.mappings, source.pk, scimMappingModel, query);
  const globals = {
    // It was read from JSON.
    data: sent as JsonObject,
    source: { pk: source.pk, name: source.name, slug: source.slug },
    properties: base,
  };
  const { value } = mergeMappings(needs.sandbox, mappings, globals, base);
  return Object.fromEntries(
    Object.entries(value).filter(([name, property]) => type.properties.includes(name) && property !== null),
  );
}
