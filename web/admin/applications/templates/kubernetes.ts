import type { Template } from '../template.ts';

export const kubernetes: Template = {
  id: 'kubernetes',
  name: 'Kubernetes',
  about: 'Sign in to a cluster with kubectl',
  category: 'Infrastructure',
  protocol: 'oauth2',
  address: 'https://cluster.example.com:6443',
  redirects: ['http://localhost:8000', 'http://localhost:18000'],
  where: 'Flags of the API server; people use the plugin kubelogin (oidc-login)',
  setup: `# The API server accepts only an issuer with https.
--oidc-issuer-url={issuer}
--oidc-client-id={client_id}
--oidc-username-claim=preferred_username
--oidc-groups-claim=groups

kubectl oidc-login setup --oidc-issuer-url={issuer} --oidc-client-id={client_id} \\
  --oidc-extra-scope=profile --oidc-extra-scope=email`,
  isPublic: true,
  hasNoPage: true,
  docs: 'https://kubernetes.io/docs/reference/access-authn-authz/authentication/',
  checked: { version: 'kubelogin 1.36.3', date: '2026-11-20', how: 'run' },
};
