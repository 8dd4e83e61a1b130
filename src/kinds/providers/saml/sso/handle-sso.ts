import { verbatim } from '../../../../lib/texts/message.ts';
import type { HttpResponse } from '../../../../platform/http/routes.ts';
import { isUseAllowed, wouldAllowUse } from '../../../../provider/authorize/check-use.ts';
import { rejectIfDisabled } from '../../../../provider/authorize/reject-disabled.ts';
import { offerAccessRequest } from '../../../../provider/authorize/request-access.ts';
import { applicationContext, requireUserDecision } from '../../../../provider/authorize/require-user-decision.ts';
import { isLoginRequired, signInPage } from '../../../../provider/authorize/sign-in-first.ts';
import { consumeTicket, findTicket } from '../../../../provider/authorize/tickets.ts';
import { redirectBrowser, withCookies } from '../../../../provider/browser-responses.ts';
import { signInOfSession } from '../../../../provider/sign-in-of-session.ts';
import type { Call } from '../../../../resource/call.ts';
import type { SamlDependencies } from '../dependencies.ts';
import { ErrorPage } from '../error-page.ts';
import { samlProviderModel } from '../models.ts';
import { sendThroughBrowser } from '../send-through-browser.ts';
import type { ServiceProvider } from '../service-provider.ts';
import { issuerOf, samlPaths } from '../urls.ts';
import { authnContextOf } from './authn-context.ts';
import { buildLoginResponse } from './build-login-response.ts';
import { openPending, type PendingRequest, sealPending } from './pending-request.ts';
import { isConsumerOf } from './read-request.ts';
import { SsoError } from './sso-error.ts';
import { wantedFormat } from './wanted-format.ts';
import { writeFailure } from './write-response.ts';

/** IdP-initiated login, without a request of the service provider. */
export const handleUnsolicited = ({ pk, default_relay_state }: ServiceProvider): PendingRequest => ({
  provider: pk,
  id: null,
  issuer: null,
  consumerUrl: null,
  relayState: default_relay_state === '' ? null : default_relay_state,
  nameIdFormat: null,
  forceAuthn: false,
  isPassive: false,
  requestedContext: null,
  sentAt: null,
});

/** The address at which a request goes on that this server has checked. */
export const buildSsoUrl = (
  { key }: SamlDependencies,
  call: Call,
  provider: ServiceProvider,
  request: PendingRequest,
): string =>
  `${samlPaths(provider.application.slug).endpoint}?${new URLSearchParams({ request: sealPending(key.box, request, call.now) })}`;

/** The browser returns with a request that this server has verified. */
export function resumeRequest(
  needs: SamlDependencies,
  call: Call,
  provider: ServiceProvider,
  sealed: string,
): Promise<HttpResponse> {
  const request = openPending(needs.key.box, sealed, call.now);
  if (request?.provider !== provider.pk)
    throw new ErrorPage('The request has expired or does not belong to this application.');
  return handleRequest(needs, call, provider, request);
}

/** Takes a person from a request that was checked to the response. */
export function handleRequest(
  needs: SamlDependencies,
  call: Call,
  provider: ServiceProvider,
  request: PendingRequest,
): Promise<HttpResponse> {
  return withErrorResponse(needs, call, provider, request, async () => {
    checkSignsInForThemselves(call);
    wantedFormat(provider, request);
    if (!provider.application.enabled) {
      if (request.isPassive) throw new SsoError('denied', 'The application is disabled.');
      return rejectIfDisabled(needs, call, provider, undefined);
    }
    const signIn = await signInOfSession(call.db.read, call.actor?.session ?? null);
    if (isLoginRequired({ isForced: request.forceAuthn }, signIn?.at ?? null, request.sentAt, call.now)) {
      if (request.isPassive) throw new SsoError('passive', 'The user is not signed in, or has not reauthenticated.');
      const next = buildSsoUrl(needs, call, provider, { ...request, sentAt: call.now });
      return redirectBrowser(await signInPage(needs, call, provider, { next }));
    }
    if (authnContextOf(signIn?.amr ?? [], request.requestedContext) === null) {
      throw new SsoError('context', 'The person did not sign in as the request demands.');
    }
    if (!(await wouldAllowUse(needs, call, provider))) {
      if (request.isPassive || !provider.application.access_requests) throw denied();
      return offerAccessRequest(needs, call, provider, undefined);
    }
    return startFlow(needs, call, provider, request);
  });
}

/** Who acts as another user signs in nowhere in their name: that would last when they have stopped. */
function checkSignsInForThemselves({ actor }: Call): void {
  if (actor?.impersonator) throw new SsoError('denied', 'Impersonated sessions cannot authorize applications.');
}

const denied = () => new SsoError('denied', 'The user is not allowed to use this application.');

async function startFlow(
  needs: SamlDependencies,
  call: Call,
  provider: ServiceProvider,
  request: PendingRequest,
): Promise<HttpResponse> {
  const asked = await requireUserDecision(needs, call, {
    kind: samlProviderModel,
    provider,
    request,
    context: { ...applicationContext(provider.application), consent_permissions: [] },
    isSilent: request.isPassive,
    pathOf: (ticket) => `${samlPaths(provider.application.slug).endpoint}?ticket=${ticket}`,
  });
  switch (asked.outcome) {
    case 'decided':
      return withCookies(await redeemTicket(needs, call, provider, asked.ticket), asked.cookies);
    case 'page':
      return asked.answer;
    case 'silenced':
      throw new SsoError('passive', 'User interaction is required.');
    case 'missing':
      throw new SsoError('failed', 'The provider has no authorization flow.', new Error('no authorization flow'));
    case 'broken':
      throw new SsoError('failed', 'The authorization flow could not be executed.', new Error('broken flow'));
  }
}

/** The user returns from a flow. The ticket is bound to this session and can be used once. */
export async function redeemTicket(
  needs: SamlDependencies,
  call: Call,
  provider: ServiceProvider,
  id: string,
): Promise<HttpResponse> {
  const ticket = await findTicket(needs.db, needs.key, call, id);
  if (ticket?.provider !== provider.pk)
    throw new ErrorPage('This request was already completed, or does not belong to your session.');
  // What `goThroughFlow` asked for.
  const request = ticket.request as unknown as PendingRequest;
  if (!isConsumerOf(provider, request)) {
    throw new ErrorPage('The provider has changed in the meantime.');
  }
  return withErrorResponse(needs, call, provider, request, async () => {
    if (ticket.state !== 'granted' || !(await isUseAllowed(needs, call, provider))) {
      await call.db.write((tx) => consumeTicket(tx, ticket));
      throw new SsoError('denied', 'The user or the authorization server denied the request.');
    }
    const message = await buildLoginResponse(needs, call, { provider, request, ticket });
    return respond(needs, provider, request, message);
  });
}

const respond = (
  { keyOf }: SamlDependencies,
  provider: ServiceProvider,
  { relayState }: PendingRequest,
  message: Awaited<ReturnType<typeof buildLoginResponse>>,
): HttpResponse =>
  sendThroughBrowser({
    name: 'SAMLResponse',
    to: provider.acs_url,
    binding: provider.sp_binding,
    message,
    relayState,
    key: keyOf(provider),
  });

/**
 * From here on, errors are sent to the service provider at its configured URL. IdP-initiated logins
 * show them on a page.
 */
async function withErrorResponse(
  needs: SamlDependencies,
  call: Call,
  provider: ServiceProvider,
  request: PendingRequest,
  work: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SsoError)) throw error;
    const { code, detail, message, fault } = error;
    if (fault !== null)
      await needs.refusals.wrongMessage(call, provider, `Failed to process SAML assertion: ${message}`);
    if (request.id === null) throw new ErrorPage(verbatim(message), { status: 403, fault });
    const issuer = issuerOf(needs.publicUrl, { issuer: provider.issuer, slug: provider.application.slug });
    const frame = { issuer, acs: provider.acs_url, inResponseTo: request.id, now: new Date(call.now) };
    const failure = await writeFailure(frame, { code, detail, message }, needs.keyOf(provider));
    return { ...respond(needs, provider, request, failure), fault };
  }
}
