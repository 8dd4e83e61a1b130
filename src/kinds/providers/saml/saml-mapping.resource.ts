import { defineMapping } from '../../../core/mapping/mapping.family.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import { text } from '../../../resource/fields/text.ts';
import type { Resource } from '../../../resource/resource.ts';
import { samlMappingModel } from './models.ts';

/** An attribute of users, for service providers. */
export function samlMapping(needs: { readonly sandbox: Sandbox }): Resource {
  return defineMapping(needs, {
    path: '/propertymappings/provider/saml/',
    model: samlMappingModel,
    schema: 'SAMLPropertyMapping',
    names: ['SAML Provider Property Mapping', 'SAML Provider Property Mappings'],
    component: 'xak-property-mapping-provider-saml-form',
    description: 'Decide the value of an attribute: return a text, a list of texts, or null to leave it out.',
    table: 'mapping_saml',
    fields: {
      saml_name: text({ filter: true, help: 'The name of the attribute, usually a URL or an OID.' }),
      friendly_name: text({
        nullable: true,
        blank: true,
        default: null,
        filter: true,
        help: 'A second, readable name that some service providers use.',
      }),
    },
  });
}
