import type { Template } from '../template.ts';

export const synapse: Template = {
  id: 'synapse',
  name: 'Matrix (Synapse)',
  about: 'Chat between servers',
  category: 'Communication',
  protocol: 'oauth2',
  address: 'https://matrix.example.com',
  redirects: ['{address}/_synapse/client/oidc/callback'],
  backchannel: '{address}/_synapse/client/oidc/backchannel_logout',
  where: 'homeserver.yaml',
  setup: `oidc_providers:
  - idp_id: gatehouse
    idp_name: Gatehouse
    issuer: "{issuer}"
    client_id: "{client_id}"
    client_secret: "{client_secret}"
    scopes: ["openid", "profile", "email"]
    backchannel_logout_enabled: true
    user_mapping_provider:
      config:
        localpart_template: "{{ user.preferred_username }}"
        display_name_template: "{{ user.name }}"`,
  docs: 'https://element-hq.github.io/synapse/latest/openid.html',
  checked: { version: '1.163.2', date: '2026-11-20', how: 'run' },
};
