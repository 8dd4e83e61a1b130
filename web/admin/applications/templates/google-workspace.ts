import type { Template } from '../template.ts';

export const googleWorkspace: Template = {
  id: 'google-workspace',
  name: 'Google Workspace',
  about: 'Mail and office by Google',
  category: 'Knowledge and office',
  protocol: 'saml',
  address: 'https://example.com',
  acs: 'https://www.google.com/a/{host}/acs',
  audience: 'google.com/a/{host}',
  where: 'Admin console, Security, SSO with third-party IdP; “Use a domain-specific issuer” is on',
  setup: `Sign-in page URL: {sso_url}
Sign-out page URL: {root_url}/if/flow/default-invalidation-flow/
Verification certificate: in the metadata at {metadata_url}`,
  nameId: 'emailAddress',
  hasNoPage: true,
  docs: 'https://support.google.com/a/',
};
