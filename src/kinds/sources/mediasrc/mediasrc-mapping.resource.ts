import { defineMapping } from '../../../core/mapping/mapping.family.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import type { Resource } from '../../../resource/resource.ts';

/** Maps the data of a Mediasrc source to properties of users and groups. */
export function mediasrcSourceMapping(needs: { readonly sandbox: Sandbox }): Resource {
  return defineMapping(needs, {
    path: '/propertymappings/source/mediasrc/',
    model: 'svc_sources_mediasrc.mediasrcsourcepropertymapping',
    schema: 'MediasrcSourcePropertyMapping',
    names: ['Mediasrc Source Property Mapping', 'Mediasrc Source Property Mappings'],
    labels: ['Media server source property mapping', 'Media server source property mappings'],
    component: 'xak-property-mapping-source-mediasrc-form',
    description: 'Decide the data of users from a media server.',
    table: 'mapping_source_mediasrc',
    fields: {},
  });
}
