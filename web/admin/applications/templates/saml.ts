import type { Template } from '../template.ts';

export const saml: Template = {
  id: 'saml',
  name: 'Any SAML application',
  about: 'SAML 2.0',
  category: '',
  protocol: 'saml',
  address: 'https://app.example.com',
  acs: '{address}/saml/acs',
  audience: '{address}',
  where: 'Where the application asks for its identity provider',
  setup: `Metadata: {metadata_url}
Entity ID: {issuer}
Single sign-on URL: {sso_url}`,
  asksRedirect: true,
};
