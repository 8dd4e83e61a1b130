import { type Attribute, attributeMapping } from '../../kinds/providers/saml/install-defaults.ts';
import type { BootstrapStep } from './steps.ts';

const claims = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims';
const own = 'http://schemas.gatehouse/2021/02/saml';

const attributes: readonly (readonly [attribute: Attribute, name: string, saml_name: string, expression: string])[] = [
  [
    'upn',
    'UPN',
    `${claims}/upn`,
    '// The user principal name; who has none goes by their address.\nreturn request.user.attributes.upn ?? request.user.email;',
  ],
  ['name', 'Name', `${claims}/name`, 'return request.user.name;'],
  ['email', 'Email', `${claims}/emailaddress`, 'return request.user.email;'],
  ['username', 'Username', `${own}/username`, 'return request.user.username;'],
  ['uid', 'User ID', `${own}/uid`, 'return request.user.pk;'],
  [
    'groups',
    'Groups',
    'http://schemas.xmlsoap.org/claims/Group',
    '// One value for each group.\nreturn request.user.groups.map((group) => group.name);',
  ],
  [
    'ms-windowsaccountname',
    'WindowsAccountname (Username)',
    'http://schemas.microsoft.com/ws/2008/06/identity/claims/windowsaccountname',
    'return request.user.username;',
  ],
];

/** The default attributes for service providers. */
export const samlMappings: BootstrapStep = {
  name: 'saml-mappings',
  async run({ ensure }) {
    for (const [attribute, name, saml_name, expression] of attributes) {
      await ensure(
        'svc_providers_saml.samlpropertymapping',
        { managed: attributeMapping(attribute) },
        { name: `Gatehouse default SAML Mapping: ${name}`, saml_name, expression },
      );
    }
  },
};
