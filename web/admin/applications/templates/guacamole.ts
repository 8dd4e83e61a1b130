import type { Template } from '../template.ts';

export const guacamole: Template = {
  id: 'guacamole',
  name: 'Apache Guacamole',
  about: 'Desktops in a browser',
  category: 'Access',
  protocol: 'saml',
  address: 'https://desk.example.com',
  acs: '{address}/api/ext/saml/callback',
  audience: '{address}',
  where: 'guacamole.properties',
  setup: `saml-idp-metadata-url: {metadata_url}
saml-entity-id: {address}
saml-callback-url: {address}
saml-group-attribute: http://schemas.xmlsoap.org/claims/Group`,
  docs: 'https://guacamole.apache.org/doc/gug/saml-auth.html',
  checked: { version: 'main', date: '2026-11-19', how: 'read' },
};
