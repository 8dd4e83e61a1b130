import { defineMapping } from '../../../core/mapping/mapping.family.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import type { Resource } from '../../../resource/resource.ts';
import { radiusMappingModel } from './radius-model.ts';

/** Attributes of responses, such as the VLAN. */
export const radiusMapping = (needs: { readonly sandbox: Sandbox }): Resource =>
  defineMapping(needs, {
    path: '/propertymappings/provider/radius/',
    model: radiusMappingModel,
    schema: 'RadiusProviderPropertyMapping',
    names: ['RADIUS Provider Property Mapping', 'RADIUS Provider Property Mappings'],
    component: 'xak-property-mapping-provider-radius-form',
    description: 'Decide which attributes a RADIUS client gets: return an object of their names and values.',
    table: 'mapping_radius',
    fields: {},
  });
