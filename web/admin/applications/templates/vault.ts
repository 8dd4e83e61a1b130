import type { Template } from '../template.ts';

export const vault: Template = {
  id: 'vault',
  name: 'Vault',
  about: 'Secrets and certificates',
  category: 'Infrastructure',
  protocol: 'oauth2',
  address: 'https://vault.example.com',
  redirects: ['{address}/ui/vault/auth/oidc/oidc/callback', 'http://localhost:8250/oidc/callback'],
  where: 'On the command line',
  setup: `vault auth enable oidc
vault write auth/oidc/config \\
  oidc_discovery_url="{issuer}" \\
  oidc_client_id="{client_id}" \\
  oidc_client_secret="{client_secret}" \\
  default_role="reader"
vault write auth/oidc/role/reader user_claim="sub" groups_claim="groups" \\
  allowed_redirect_uris="{address}/ui/vault/auth/oidc/oidc/callback" \\
  allowed_redirect_uris="http://localhost:8250/oidc/callback" \\
  oidc_scopes="profile,email" token_policies="default"`,
  docs: 'https://developer.hashicorp.com/vault/docs/auth/jwt',
  checked: { version: '047d584d', date: '2026-11-20', how: 'read' },
};
