import { defineMapping } from '../../../core/mapping/mapping.family.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import type { Resource } from '../../../resource/resource.ts';
import { samlMappingModel } from './saml-model.ts';

/** Maps the data of a SAML source to properties of users and groups. */
export function samlSourceMapping(needs: { readonly sandbox: Sandbox }): Resource {
  return defineMapping(needs, {
    path: '/propertymappings/source/saml/',
    model: samlMappingModel,
    schema: 'SAMLSourcePropertyMapping',
    names: ['SAML Source Property Mapping', 'SAML Source Property Mappings'],
    component: 'xak-property-mapping-source-saml-form',
    description: 'Decide the data of users and groups from a SAML source.',
    table: 'mapping_source_saml',
    fields: {},
  });
}
