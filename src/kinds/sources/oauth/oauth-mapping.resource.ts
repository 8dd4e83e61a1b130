import { defineMapping } from '../../../core/mapping/mapping.family.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import type { Resource } from '../../../resource/resource.ts';
import { oauthMappingModel } from './oauth-model.ts';

/** Maps the data of an OAuth source to properties of users and groups. */
export function oauthSourceMapping(needs: { readonly sandbox: Sandbox }): Resource {
  return defineMapping(needs, {
    path: '/propertymappings/source/oauth/',
    model: oauthMappingModel,
    schema: 'OAuthSourcePropertyMapping',
    names: ['OAuth Source Property Mapping', 'OAuth Source Property Mappings'],
    component: 'xak-property-mapping-source-oauth-form',
    description: 'Decide the data of users and groups from an OAuth source.',
    table: 'mapping_source_oauth',
    fields: {},
  });
}
