import type { Template } from '../template.ts';

export const argoCd: Template = {
  id: 'argo-cd',
  name: 'Argo CD',
  about: 'Deployments to clusters',
  category: 'Infrastructure',
  protocol: 'oauth2',
  address: 'https://argocd.example.com',
  redirects: ['{address}/auth/callback'],
  where: 'ConfigMap argocd-cm; the secret goes into argocd-secret',
  setup: `url: {address}
oidc.config: |
  name: Gatehouse
  issuer: {issuer}
  clientID: {client_id}
  clientSecret: $oidc.gatehouse.clientSecret
  requestedScopes: ["openid", "profile", "email"]
  logoutURL: {logout_url}?id_token_hint={{token}}&post_logout_redirect_uri={{logoutRedirectURL}}
# For the command line, which cannot keep a secret: a second application (any browser or phone app)
# with the redirect URI http://localhost:8085/auth/callback, and its client ID here:
#   cliClientID:
# argocd-rbac-cm:
#   scopes: '[groups]'
#   policy.default: role:readonly
#   policy.csv: |
#     g, {group}, role:readonly
#     g, Argo CD Admins, role:admin
# argocd-secret:
#   oidc.gatehouse.clientSecret: {client_secret}`,
  docs: 'https://argo-cd.readthedocs.io/en/stable/operator-manual/user-management/',
  checked: { version: 'stable', date: '2026-11-19', how: 'read' },
};
