import { sql } from 'kysely';
import type { Json } from '../../../../lib/json.ts';
import type { Query } from '../../../../platform/db/database.ts';
import type { HttpResponse } from '../../../../platform/http/routes.ts';
import { isUseAllowed, wouldAllowUse } from '../../../../provider/authorize/check-use.ts';
import { rejectIfDisabled } from '../../../../provider/authorize/reject-disabled.ts';
import { offerAccessRequest } from '../../../../provider/authorize/request-access.ts';
import { applicationContext, requireUserDecision } from '../../../../provider/authorize/require-user-decision.ts';
import { type FreshSignIn, isLoginRequired, signInPage } from '../../../../provider/authorize/sign-in-first.ts';
import { findTicket } from '../../../../provider/authorize/tickets.ts';
import { redirectBrowser, withCookies } from '../../../../provider/browser-responses.ts';
import { signInOfSession } from '../../../../provider/sign-in-of-session.ts';
import type { Call } from '../../../../resource/call.ts';
import { type Client, type ClientDependencies, loadClient } from '../client.ts';
import { readHint, subjectOfCaller } from '../id-token-hint.ts';
import { OAuthError } from '../oauth-error.ts';
import { oauth2Model } from '../oauth2-model.ts';
import { claimPermissions } from '../requested-claims.ts';
import { checkResource, isAllowedAtAll, targetPermissions } from '../resource-indicators.ts';
import { isFapi2 } from '../security-profile.ts';
import { toBrowserError } from '../to-oauth-error.ts';
import { authorizePath, issuerOf } from '../urls.ts';
import { type AuthorizeRequest, isPromptNone, type ResponseTarget } from './authorize-request.ts';
import { buildAuthorizeResponse, denyRequest } from './build-authorize-response.ts';
import type { AuthorizeDependencies } from './dependencies.ts';
import { type IdentifiedClient, identifyClient } from './identify-client.ts';
import { addLoginTimestamp, parseLoginTimestamp } from './login-timestamp.ts';
import { isRegisteredRedirectUri } from './match-redirect-uri.ts';
import { sendAuthorizeResponse } from './send-authorize-response.ts';
import { parseAuthorizeRequest } from './steps.ts';

/** The authorize endpoint. Errors thrown here are shown to the user: the client is not verified yet. */
export async function handleAuthorize(needs: AuthorizeDependencies, call: Call, query: string): Promise<HttpResponse> {
  const given = new URLSearchParams(query);
  const ticket = given.get('ticket');
  // RFC 6749 §3.1: in a client's request it means nothing.
  if (ticket !== null && !given.has('client_id')) return redeemTicket(needs, call, ticket);
  const { text, sentAt } = parseLoginTimestamp(needs.key, query, call.now);
  const proven = await identifyClient(needs, call, text);
  const { client } = proven;
  return withErrorResponse(needs, call, client, proven.to, async () => {
    const { params, to, pushed, flaw } = proven;
    if (flaw) throw flaw;
    checkSignsInForThemselves(call);
    const { client_id } = client;
    const request = parseAuthorizeRequest(params, client, { ...to, client_id, pushed });
    if (!client.application.enabled) {
      const refusal = new OAuthError('access_denied', 'The application is disabled.');
      if (isPromptNone(request)) throw refusal;
      const { headers } = sendAuthorizeResponse(request, issuerFor(needs.publicUrl, client), refusal.body());
      return rejectIfDisabled(needs, call, client, headers?.location?.toString());
    }
    const signIn = await signInOfSession(call.db.read, call.actor?.session ?? null);
    if (isLoginRequired(freshnessOf(request), signIn?.at ?? null, sentAt, call.now)) {
      if (isPromptNone(request))
        throw new OAuthError('login_required', 'The user is not signed in, or not recently enough.');
      const next = `${authorizePath}?${addLoginTimestamp(needs.key, text, call.now)}`;
      return redirectBrowser(await signInPage(needs, call, client, { next, loginHint: request.login_hint }));
    }
    await checkExpected(needs, call, proven, request);
    if (!(await isAllowedAtAll(needs, client, request.resource, (one) => wouldAllowUse(needs, call, one)))) {
      const refusal = new OAuthError('access_denied', 'The user is not allowed to use this application.');
      if (isPromptNone(request) || !client.application.access_requests) throw refusal;
      const { headers } = sendAuthorizeResponse(request, issuerFor(needs.publicUrl, client), refusal.body());
      return offerAccessRequest(needs, call, client, headers?.location?.toString());
    }
    return startFlow(needs, call, client, request);
  });
}

const freshnessOf = ({ prompt, max_age }: AuthorizeRequest): FreshSignIn => ({
  isForced: prompt.includes('login') || prompt.includes('select_account'),
  maxAge: max_age,
});

/** Rejects impersonators: the tokens of the client would outlive the impersonation. */
export function checkSignsInForThemselves({ actor }: Call): void {
  if (actor?.impersonator)
    throw new OAuthError('access_denied', 'Impersonated sessions cannot authorize applications.');
}

/**
 * From here on, errors are sent to the client at its verified redirect URI. Exceptions are errors as well
 * (RFC 6749 §4.1.2.1), so that the client always gets a response.
 */
async function withErrorResponse(
  { publicUrl }: AuthorizeDependencies,
  { request: { id } }: Call,
  client: Client,
  to: ResponseTarget,
  work: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  try {
    return await work();
  } catch (error) {
    const { refusal, fault } = toBrowserError(error, id);
    return {
      ...sendAuthorizeResponse(to, issuerFor(publicUrl, client), refusal.body(), redirectStatus(client)),
      fault,
    };
  }
}

const issuerFor = (publicUrl: string, { assigned_application_slug, issuer_mode }: Client): string =>
  issuerOf(publicUrl, assigned_application_slug, issuer_mode);

/** FAPI 2.0 Security Profile §5.3.2.2 */
const redirectStatus = (client: Client) => (isFapi2(client) ? 303 : 302);

/** OpenID Connect Core §3.1.2.1, §5.5.1: the user that the client expects must be the one who is signed in. */
async function checkExpected(
  needs: AuthorizeDependencies,
  call: Call,
  { client, params }: IdentifiedClient,
  { claims }: AuthorizeRequest,
): Promise<void> {
  const hint = params.get('id_token_hint');
  // Clients write it: no member is certain.
  const expected = (claims?.id_token as { sub?: { value?: unknown } | null } | null)?.sub?.value;
  if (hint === undefined && expected === undefined) return;
  const subject = await subjectOfCaller(needs, call, client);
  const hinted = hint === undefined ? subject : (await readHint(needs, client, hint, call.now))?.sub;
  if (subject !== null && hinted === subject && (expected ?? subject) === subject) return;
  throw new OAuthError('login_required', 'Another user is signed in than the client expects.');
}

async function startFlow(
  needs: AuthorizeDependencies,
  call: Call,
  client: Client,
  request: AuthorizeRequest,
): Promise<HttpResponse> {
  const asked = await requireUserDecision(needs, call, {
    kind: oauth2Model,
    provider: client,
    request,
    context: await consentContext(needs, call.db.read, client, request),
    isSilent: isPromptNone(request),
    pathOf: (ticket) => `${authorizePath}?ticket=${ticket}`,
  });
  switch (asked.outcome) {
    case 'decided':
      return withCookies(await redeemTicket(needs, call, asked.ticket), asked.cookies);
    case 'page':
      return asked.answer;
    case 'silenced':
      throw asked.component === 'xak-stage-consent'
        ? new OAuthError('consent_required', 'The user must consent first.')
        : new OAuthError('interaction_required', 'User interaction is required.');
    case 'missing':
      throw new OAuthError('server_error', 'The provider has no authorization flow.');
    case 'broken':
      throw new OAuthError('server_error', 'The authorization flow could not be executed.');
  }
}

/** What the consent stage reads. */
export async function consentContext(
  needs: ClientDependencies,
  query: Query,
  client: Client,
  {
    scope,
    prompt,
    claims = null,
    resource,
  }: Pick<AuthorizeRequest, 'scope' | 'prompt'> & Partial<Pick<AuthorizeRequest, 'claims' | 'resource'>>,
): Promise<Record<string, Json>> {
  const { pk, application } = client;
  const { rows } = await sql<{ id: string; name: string }>`select s.scope_name as id, s.description as name
    from provider_property_mappings pm join mapping_scope s on s.pk = pm.mapping
    where pm.provider = ${pk} order by s.scope_name`.execute(query);
  return {
    ...applicationContext(application),
    consent_permissions: [
      ...rows.filter(({ id }) => scope.includes(id)).map(({ id, name }) => ({ id, name })),
      ...claimPermissions(claims, scope),
      ...(await targetPermissions(needs, client, resource)),
    ],
    ...(prompt.includes('consent') && { consent_asked_anew: true }),
  };
}

/** The user returns from a flow. The ticket is bound to this session and can be used once. */
async function redeemTicket(needs: AuthorizeDependencies, call: Call, id: string): Promise<HttpResponse> {
  const ticket = await findTicket(needs.db, needs.key, call, id);
  if (!ticket)
    throw new OAuthError('invalid_request', 'This request was already completed, or does not belong to your session.');
  // What `goThroughFlow` asked for.
  const request = ticket.request as unknown as AuthorizeRequest;
  const client = await loadClient(needs, { provider: ticket.provider });
  if (!client || !isRegisteredRedirectUri(needs.sandbox, client, request.redirect_uri)) {
    throw new OAuthError('invalid_request', 'The client has changed since the request.');
  }
  return withErrorResponse(needs, call, client, request, async () => {
    const resource = checkResource(request.resource, client);
    const isAllowed =
      ticket.state === 'granted' &&
      (await isAllowedAtAll(needs, client, resource, (one) => isUseAllowed(needs, call, one)));
    if (!isAllowed) return denyRequest(needs, call, { request, ticket });
    const members = await buildAuthorizeResponse(needs, call, { client, request, ticket });
    return sendAuthorizeResponse(request, issuerFor(needs.publicUrl, client), members, redirectStatus(client));
  });
}
