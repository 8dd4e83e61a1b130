import type { Template } from '../template.ts';

export const snipeIt: Template = {
  id: 'snipe-it',
  name: 'Snipe-IT',
  about: 'Inventory of devices',
  category: 'Knowledge and office',
  protocol: 'saml',
  address: 'https://assets.example.com',
  acs: '{address}/saml/acs',
  audience: '{address}',
  logoutService: '{address}/saml/sls',
  where: 'Admin → Settings → SAML',
  setup: `SAML enabled: yes
SAML IdP metadata: {metadata_url}
Attribute mapping - Username: http://schemas.microsoft.com/ws/2008/06/identity/claims/windowsaccountname`,
  docs: 'https://snipe-it.readme.io/docs/saml',
};
