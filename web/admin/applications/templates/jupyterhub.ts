import type { Template } from '../template.ts';

export const jupyterhub: Template = {
  id: 'jupyterhub',
  name: 'JupyterHub',
  about: 'Notebooks for teams',
  category: 'Development',
  protocol: 'oauth2',
  address: 'https://hub.example.com',
  redirects: ['{address}/hub/oauth_callback'],
  where: 'jupyterhub_config.py',
  setup: `c.JupyterHub.authenticator_class = "generic-oauth"
c.GenericOAuthenticator.login_service = "Gatehouse"
c.GenericOAuthenticator.client_id = "{client_id}"
c.GenericOAuthenticator.client_secret = "{client_secret}"
c.GenericOAuthenticator.oauth_callback_url = "{address}/hub/oauth_callback"
c.GenericOAuthenticator.authorize_url = "{authorize_url}"
c.GenericOAuthenticator.token_url = "{token_url}"
c.GenericOAuthenticator.userdata_url = "{userinfo_url}"
c.GenericOAuthenticator.scope = ["openid", "profile", "email"]
c.GenericOAuthenticator.username_claim = "preferred_username"
c.GenericOAuthenticator.manage_groups = True
c.GenericOAuthenticator.auth_state_groups_key = "oauth_user.groups"
c.GenericOAuthenticator.logout_redirect_url = "{logout_url}?post_logout_redirect_uri={address}/"
{without_groups}c.GenericOAuthenticator.allow_all = True
c.GenericOAuthenticator.allowed_groups = {{quoted_groups}}`,
  docs: 'https://oauthenticator.readthedocs.io/en/latest/tutorials/provider-specific-setup/providers/generic.html',
  checked: { version: '6.1.1', date: '2026-11-20', how: 'run' },
};
