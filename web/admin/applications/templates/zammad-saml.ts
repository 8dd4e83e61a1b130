import type { Template } from '../template.ts';

export const zammadSaml: Template = {
  id: 'zammad-saml',
  name: 'Zammad (SAML)',
  about: 'A help desk',
  category: 'Communication',
  protocol: 'saml',
  address: 'https://help.example.com',
  acs: '{address}/auth/saml/callback',
  audience: '{address}/auth/saml/metadata',
  logoutService: '{address}/auth/saml/slo',
  where: 'Settings → Security → Third-party applications → SAML',
  setup: `IDP SSO target URL: {sso_url}
Name identifier format: urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress
IDP certificate: in the metadata at {metadata_url}`,
  nameId: 'emailAddress',
  docs: 'https://admin-docs.zammad.org/en/latest/settings/security/third-party/saml.html',
  checked: { version: '008a6294', date: '2026-11-20', how: 'read' },
};
