import { defineMapping } from '../../../core/mapping/mapping.family.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import type { Resource } from '../../../resource/resource.ts';

export const scimMappingModel = 'svc_sources_scim.scimsourcepropertymapping';

/** Maps the data of a SCIM source to properties of users and groups. */
export function scimSourceMapping(needs: { readonly sandbox: Sandbox }): Resource {
  return defineMapping(needs, {
    path: '/propertymappings/source/scim/',
    model: scimMappingModel,
    schema: 'SCIMSourcePropertyMapping',
    names: ['SCIM Source Property Mapping', 'SCIM Source Property Mappings'],
    component: 'xak-property-mapping-source-scim-form',
    description: 'Decide the data of users and groups from a SCIM client.',
    table: 'mapping_source_scim',
    fields: {},
  });
}
