import type { FindLogoutRedirect } from '../../../flow/executor/logout-redirects.ts';
import type { HttpResponse } from '../../../platform/http/routes.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import { randomToken } from '../../../platform/random.ts';
import { consumePending, storePendingLogin } from '../../../source/pending-logins.ts';
import { buildSourcePath, redirect, type SourceRequest } from '../../../source/redirect-source.ts';
import { SourceRefusal } from '../../../source/source-refusal.ts';
import { clientIdOf } from './client.ts';
import { discoveredOf } from './discovery.ts';
import { type OAuthSource, oauthLogoutPaths } from './oauth-model.ts';
import { sourceOfSession } from './oauth-sessions.ts';

interface LogoutNeeds {
  readonly key: InstanceKey;
  readonly config: { readonly publicUrl: string };
}

const purpose = 'oauth sign-out';

/** At sign-out: the way past the provider by which the session came, so that it ends there too. Only sign-outs that are accepted here get such a link. */
export const logoutRedirectToSource =
  ({ key }: LogoutNeeds): FindLogoutRedirect =>
  async (call, session) => {
    const found = await sourceOfSession(call.db.read, key, session);
    if (!found) return null;
    const { source, slug, idToken } = found;
    const token = randomToken();
    const visit = { purpose: 'sign-out', token, browser: '', source } as const;
    await call.db.write((tx) => storePendingLogin(tx, key, visit, { idToken }, call));
    return (to) => {
      const query = new URLSearchParams({ session: token, to, proof: key.sign(purpose, `${token} ${to}`) });
      return `${buildSourcePath(oauthLogoutPaths.logout, slug)}?${query}`;
    };
  };

/** Sends a browser to the provider to end its session (OpenID Connect RP-Initiated Logout), or takes it on when it returns. */
export async function handleLogout(needs: LogoutNeeds, visitor: SourceRequest<OAuthSource>): Promise<HttpResponse> {
  return visitor.given.has('session') ? startLogout(needs, visitor) : finishLogout(needs, visitor);
}

async function startLogout({ key, config }: LogoutNeeds, { source, call, given }: SourceRequest<OAuthSource>) {
  const token = given.get('session') ?? '';
  const to = given.get('to') ?? '';
  if (!key.verify(purpose, `${token} ${to}`, given.get('proof') ?? ''))
    throw new SourceRefusal('This link is not valid.');
  const visit = { purpose: 'sign-out', token, browser: '', source: source.pk } as const;
  const stored = await call.db.write((tx) => consumePending<'sign-out', { idToken: string }>(tx, key, visit, call.now));
  const endpoint = discoveredOf(source)?.end_session_endpoint;
  if (stored === null || !endpoint) return redirect(to);
  const state = randomToken();
  const asked = { purpose: 'logout', token: state, browser: '', source: source.pk } as const;
  await call.db.write((tx) => storePendingLogin(tx, key, asked, { to }, call), { durable: false });
  const url = new URL(endpoint);
  const members = {
    ...(stored.idToken !== '' && { id_token_hint: stored.idToken }),
    client_id: clientIdOf(source),
    post_logout_redirect_uri: `${config.publicUrl}${buildSourcePath(oauthLogoutPaths.logout, source.slug)}`,
    state,
  };
  for (const [name, value] of Object.entries(members)) url.searchParams.set(name, value);
  return redirect(url.href);
}

/** The session here has ended before; the provider only names, by its state, where to go on. */
async function finishLogout({ key }: LogoutNeeds, { source, call, given }: SourceRequest<OAuthSource>) {
  const asked = { purpose: 'logout', token: given.get('state') ?? '', browser: '', source: source.pk } as const;
  const stored = await call.db.write((tx) => consumePending<'logout', { to: string }>(tx, key, asked, call.now));
  return redirect(stored?.to ?? '/');
}
