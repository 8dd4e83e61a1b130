import type { Template } from '../template.ts';

export const tailscale: Template = {
  id: 'tailscale',
  name: 'Tailscale',
  about: 'A private network',
  category: 'Access',
  protocol: 'oauth2',
  address: 'https://login.tailscale.com',
  redirects: ['https://login.tailscale.com/a/oauth_response'],
  where: 'Sign up with OIDC; your domain needs a WebFinger record that names the issuer',
  setup: `Issuer: {issuer}
Client ID: {client_id}
Client secret: {client_secret}`,
  docs: 'https://tailscale.com/kb/1240/sso-custom-oidc',
};
