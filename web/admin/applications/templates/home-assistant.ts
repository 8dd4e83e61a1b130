import type { Template } from '../template.ts';

export const homeAssistant: Template = {
  id: 'home-assistant',
  name: 'Home Assistant',
  about: 'The smart home',
  category: 'Media and home',
  protocol: 'oauth2',
  address: 'https://home.example.com',
  redirects: ['{address}/auth/oidc/callback'],
  where: 'hass-oidc-auth: configuration.yaml',
  setup: `auth_oidc:
  client_id: "{client_id}"
  discovery_url: "{discovery_url}"
  display_name: "Gatehouse"
  features:
    include_groups_scope: false
  roles:
    # Members of this group become administrators.
    admin: "admins"`,
  isPublic: true,
  docs: 'https://github.com/christiaangoossens/hass-oidc-auth/blob/main/docs/configuration.md',
  checked: { version: 'main', date: '2026-11-19', how: 'read' },
};
