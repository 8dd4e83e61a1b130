import { defineMapping } from '../../../core/mapping/mapping.family.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import type { Resource } from '../../../resource/resource.ts';
import { ldapMappingModel } from './ldap-model.ts';

/** Maps entries of an LDAP directory to properties of users and groups. */
export function ldapSourceMapping(needs: { readonly sandbox: Sandbox }): Resource {
  return defineMapping(needs, {
    path: '/propertymappings/source/ldap/',
    model: ldapMappingModel,
    schema: 'LDAPSourcePropertyMapping',
    names: ['LDAP Source Property Mapping', 'LDAP Source Property Mappings'],
    component: 'xak-property-mapping-source-ldap-form',
    description: 'Decide the data of users and groups from an LDAP directory.',
    table: 'mapping_source_ldap',
    fields: {},
  });
}
