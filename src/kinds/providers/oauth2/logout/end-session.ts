import { pageFrame } from '../../../../core/brand/page-frame.ts';
import { csrfField, csrfFormField, isCsrfFormValid } from '../../../../core/session/csrf-form-field.ts';
import { message } from '../../../../lib/texts/message.ts';
import type { Query } from '../../../../platform/db/database.ts';
import { plainPage } from '../../../../platform/http/plain-page.ts';
import type { HttpResponse } from '../../../../platform/http/routes.ts';
import { redirectBrowser } from '../../../../provider/browser-responses.ts';
import { endOwnSession, startSignOut } from '../../../../provider/sign-out.ts';
import type { Call } from '../../../../resource/call.ts';
import type { AuthorizeDependencies } from '../authorize/dependencies.ts';
import { isRegisteredUri } from '../authorize/match-redirect-uri.ts';
import { type Client, loadClient } from '../client.ts';
import { type HintClaims, readHint } from '../id-token-hint.ts';
import { sessionIdClaim } from '../issue.ts';
import { type Params, parseParams } from '../params.ts';
import { buildLogoutPageUrl, type LogoutPage, parseLogoutPage, renderLogoutPage } from './front-channel.ts';
import { findFrontChannelClients } from './logins.ts';
import { loadLogoutSettings } from './logout-settings.ts';

const use = 'end session';

/**
 * Signs users out at the request of a client (OpenID Connect RP-Initiated Logout). Without a valid ID token hint, users
 * are asked for confirmation (CSRF).
 */
export async function handleEndSession(needs: AuthorizeDependencies, call: Call, text: string): Promise<HttpResponse> {
  const params = parseParams(text);
  const after = parseLogoutPage(needs, text);
  if (after) return endSessionAndRedirect(needs, call, after);
  const client = await findRequestingClient(needs, call, params);
  const hint = await hintOf(needs, call, client, params);
  // §4: no redirect for an invalid request (open redirect).
  const to = client && hint !== 'wrong' ? await returnAddress(needs, call.db.read, client, params) : nowhere;
  const session = call.actor?.session ?? null;
  const isWished =
    session === null || isCsrfFormValid(needs.key, call, params, use) || isOfSession(needs, session, hint);
  if (!isWished) return confirmPage(needs, call, params, client, to.to);
  if (client && to.unregistered !== undefined)
    await needs.refusals.wrongRedirect(call, client, 'post_logout_redirect_uri', to.unregistered);
  if (session === null) return renderLogoutPage(needs, call, { session, ...to, clients: [] });
  const clients = await findFrontChannelClients(call.db.read, session);
  return signOut(needs, call, { session, ...to, clients }, client?.invalidation_flow ?? null);
}

/** By the path, the client id, or the ID token hint. */
async function findRequestingClient(needs: AuthorizeDependencies, call: Call, params: Params): Promise<Client | null> {
  const { slug } = call.params;
  const clientId = params.get('client_id') ?? audienceOf(params.get('id_token_hint'));
  if (slug === undefined) return clientId === null ? null : loadClient(needs, { clientId });
  const client = await loadClient(needs, { slug });
  const named = params.get('client_id');
  return named === undefined || named === client?.client_id ? client : null;
}

/** Unproven: only to find the keys by which to prove it. */
function audienceOf(hint: string | undefined): string | null {
  try {
    const { aud } = JSON.parse(Buffer.from(hint?.split('.')[1] ?? '', 'base64url').toString('utf8'));
    return typeof aud === 'string' && !aud.includes('\u0000') ? aud : null;
  } catch {
    // No JSON, no client.
    return null;
  }
}

type ReturnAddress = Pick<LogoutPage, 'to' | 'unregistered'>;

const nowhere: ReturnAddress = { to: null };

/** Anyone can send a long URI; page and event have its beginning. */
const maxShownLength = 500;

/** §3: only where the client has registered it; else people stay here. */
async function returnAddress(
  { sandbox }: AuthorizeDependencies,
  query: Query,
  client: Client,
  params: Params,
): Promise<ReturnAddress> {
  const uri = params.get('post_logout_redirect_uri');
  if (uri === undefined) return nowhere;
  const { post_logout_redirect_uris } = await loadLogoutSettings(query, client.pk);
  if (!isRegisteredUri(sandbox, post_logout_redirect_uris, uri))
    return { to: null, unregistered: uri.slice(0, maxShownLength) };
  const state = params.get('state');
  const to = state === undefined ? uri : `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams({ state })}`;
  return { to };
}

type Hint = HintClaims | 'none' | 'wrong';

/** The user in the ID token hint. */
async function hintOf(needs: AuthorizeDependencies, call: Call, client: Client | null, params: Params): Promise<Hint> {
  const hint = params.get('id_token_hint');
  if (hint === undefined) return 'none';
  return (client && (await readHint(needs, client, hint, call.now))) ?? 'wrong';
}

/** Whether the client has shown that it is this very session that it means. */
const isOfSession = ({ key }: AuthorizeDependencies, session: string, hint: Hint): boolean =>
  typeof hint === 'object' && hint.sid === sessionIdClaim(key, session);

const emitter = 'svc_providers_oauth2';

/** Through the flow that the client or the brand has for it, if they have one. */
async function signOut(
  needs: AuthorizeDependencies,
  call: Call,
  afterwards: LogoutPage,
  flow: string | null,
): Promise<HttpResponse> {
  const next = buildLogoutPageUrl(needs, call.request.path, afterwards);
  const { to, cookies } = await startSignOut(needs, call, { next, app: emitter, flow });
  return to === null ? endSessionAndRedirect(needs, call, afterwards, cookies) : redirectBrowser(to, cookies);
}

/** Whatever the flow did: the session that was to end has ended. */
async function endSessionAndRedirect(
  needs: AuthorizeDependencies,
  call: Call,
  afterwards: LogoutPage,
  ofFlow: readonly string[] = [],
): Promise<HttpResponse> {
  const isTheirs = afterwards.session !== null && call.actor?.session === afterwards.session;
  const cookies = new Set([...ofFlow, ...(isTheirs ? await endOwnSession(needs, call, emitter) : [])]);
  const answer = await renderLogoutPage(needs, call, afterwards);
  return cookies.size === 0 ? answer : { ...answer, headers: { ...answer.headers, 'set-cookie': [...cookies] } };
}

async function confirmPage(
  { key }: AuthorizeDependencies,
  call: Call,
  params: Params,
  client: Client | null,
  to: string | null,
): Promise<HttpResponse> {
  const given = params.entries().filter(([name]) => name !== csrfField);
  return plainPage({
    ...(await pageFrame(call)),
    title: 'Do you want to sign out?',
    paragraphs: [
      client ? message('{name} asks for it.', { name: client.application.name }) : 'An application asks for it.',
      'You will be signed out of this server and of all applications that you signed in to from here.',
    ],
    form: {
      action: call.request.path,
      hidden: { ...Object.fromEntries(given), ...csrfFormField(key, call, use) },
      submit: 'Sign out',
      ...(to !== null && { leadsTo: to }),
    },
    link: { to: '/', text: 'Stay signed in' },
  });
}
