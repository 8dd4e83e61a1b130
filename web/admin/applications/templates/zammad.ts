import type { Template } from '../template.ts';

export const zammad: Template = {
  id: 'zammad',
  name: 'Zammad',
  about: 'A help desk',
  category: 'Communication',
  protocol: 'saml',
  address: 'https://help.example.com',
  acs: '{address}/auth/saml/callback',
  audience: '{address}/auth/saml/metadata',
  where: 'Settings → Security → Third-party applications → SAML',
  setup: `IDP SSO target URL: {sso_url}
Name identifier format: urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress
IDP certificate: in the metadata at {metadata_url}`,
  nameId: 'emailAddress',
};
