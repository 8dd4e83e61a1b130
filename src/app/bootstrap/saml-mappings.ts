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

/** Who lacks a value gets no attribute. */
const orNothing = (value: string): string => `return ${value} || null;`;
const ofUser = (name: string): string => orNothing(`request.user.attributes.${name}`);

/** By the object identifiers that the default attribute map of Shibboleth service providers has names for. */
const oidAttributes: readonly (readonly [name: string, oid: string, expression: string])[] = [
  [
    'eduPersonPrincipalName',
    '1.3.6.1.4.1.5923.1.1.1.6',
    `// A name with a domain. An address that anybody could enter as theirs is none.
const { username, attributes } = request.user;
return attributes.eduPersonPrincipalName || attributes.upn || (username.includes("@") ? username : null);`,
  ],
  ['eduPersonScopedAffiliation', '1.3.6.1.4.1.5923.1.1.1.9', ofUser('eduPersonScopedAffiliation')],
  ['eduPersonEntitlement', '1.3.6.1.4.1.5923.1.1.1.7', ofUser('eduPersonEntitlement')],
  [
    'isMemberOf',
    '1.3.6.1.4.1.5923.1.5.1.1',
    '// One value for each group.\nreturn request.user.groups.map((group) => group.name);',
  ],
  ['uid', '0.9.2342.19200300.100.1.1', 'return request.user.username;'],
  ['mail', '0.9.2342.19200300.100.1.3', orNothing('request.user.email')],
  ['cn', '2.5.4.3', orNothing('request.user.name')],
  ['displayName', '2.16.840.1.113730.3.1.241', orNothing('request.user.name')],
  ['givenName', '2.5.4.42', `// A full name is never split.\n${ofUser('given_name')}`],
  ['sn', '2.5.4.4', `// A full name is never split.\n${ofUser('family_name')}`],
];

/** For providers that choose them; a step of its own, so that databases from before get them too. */
export const samlOidMappings: BootstrapStep = {
  name: 'saml-oid-mappings',
  async run({ ensure }) {
    for (const [name, oid, expression] of oidAttributes) {
      await ensure(
        'svc_providers_saml.samlpropertymapping',
        { managed: `gatehouse/providers/saml/oid-${name.toLowerCase()}` },
        {
          name: `Gatehouse SAML Mapping by OID: ${name}`,
          saml_name: `urn:oid:${oid}`,
          friendly_name: name,
          expression,
        },
      );
    }
  },
};
