import type { FindLogoutRedirect } from '../../../flow/executor/logout-redirects.ts';
import type { HttpResponse } from '../../../platform/http/routes.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import { randomToken } from '../../../platform/random.ts';
import {
  buildLogoutRedirect,
  consumeLogoutReturn,
  redeemLogoutRedirect,
  storeLogoutReturn,
} from '../../../source/logout-at-source.ts';
import { buildSourcePath, redirect, type SourceRequest } from '../../../source/redirect-source.ts';
import { clientIdOf } from './client.ts';
import { discoveredOf } from './discovery.ts';
import { type OAuthSource, oauthLogoutPaths } from './oauth-model.ts';
import { sourceOfSession } from './oauth-sessions.ts';

interface LogoutNeeds {
  readonly key: InstanceKey;
  readonly config: { readonly publicUrl: string };
}

/** At sign-out: the way past the provider by which the session came, so that it ends there too. */
export const logoutRedirectToSource =
  ({ key }: LogoutNeeds): FindLogoutRedirect =>
  async (call, session) => {
    const found = await sourceOfSession(call.db.read, key, session);
    if (!found) return null;
    const { source, slug, idToken } = found;
    return buildLogoutRedirect(key, call, oauthLogoutPaths.logout, { source, slug, facts: { idToken } });
  };

/**
 * Sends a browser to the provider to end its session (OpenID Connect RP-Initiated Logout), or takes it on when it
 * returns.
 */
export async function handleLogout(needs: LogoutNeeds, visitor: SourceRequest<OAuthSource>): Promise<HttpResponse> {
  return visitor.given.has('session') ? startLogout(needs, visitor) : finishLogout(needs, visitor);
}

async function startLogout({ key, config }: LogoutNeeds, visitor: SourceRequest<OAuthSource>) {
  const { source, call } = visitor;
  const { to, facts } = await redeemLogoutRedirect<{ idToken: string }>(key, visitor);
  const endpoint = discoveredOf(source)?.end_session_endpoint;
  if (facts === null || !endpoint) return redirect(to);
  const state = randomToken();
  await storeLogoutReturn(key, { source, call, token: state }, to);
  const url = new URL(endpoint);
  const members = {
    ...(facts.idToken !== '' && { id_token_hint: facts.idToken }),
    client_id: clientIdOf(source),
    post_logout_redirect_uri: `${config.publicUrl}${buildSourcePath(oauthLogoutPaths.logout, source.slug)}`,
    state,
  };
  for (const [name, value] of Object.entries(members)) url.searchParams.set(name, value);
  return redirect(url.href);
}

/** The session here has ended before; the provider only names, by its state, where to go on. */
async function finishLogout({ key }: LogoutNeeds, { source, call, given }: SourceRequest<OAuthSource>) {
  return redirect((await consumeLogoutReturn(key, { source, call, token: given.get('state') ?? '' })) ?? '/');
}
