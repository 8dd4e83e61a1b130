import { MappingFailed } from '../../../core/mapping/evaluate.ts';
import { cachedUserFacts } from '../../../core/mapping/user-facts.ts';
import { asText, memberOf } from '../../../lib/json.ts';
import { message } from '../../../lib/texts/message.ts';
import { addMilliseconds } from '../../../platform/clock.ts';
import type { HttpResponse } from '../../../platform/http/routes.ts';
import { randomToken } from '../../../platform/random.ts';
import { isUseAllowed, wouldAllowUse } from '../../../provider/authorize/check-use.ts';
import { applicationFacts } from '../../../provider/authorize/denials.ts';
import { rejectIfDisabled } from '../../../provider/authorize/reject-disabled.ts';
import { offerAccessRequest } from '../../../provider/authorize/request-access.ts';
import { applicationContext, requireUserDecision } from '../../../provider/authorize/require-user-decision.ts';
import { isLoginRequired, signInPage } from '../../../provider/authorize/sign-in-first.ts';
import { consumeTicket, findTicket, type Ticket } from '../../../provider/authorize/tickets.ts';
import { redirectBrowser, withCookies } from '../../../provider/browser-responses.ts';
import { signInOfSession } from '../../../provider/sign-in-of-session.ts';
import { type Call, requireActor } from '../../../resource/call.ts';
import { codeHash } from './cookies.ts';
import { identityOf } from './identity.ts';
import type { ProxyNeeds } from './needs.ts';
import { ErrorPage } from './pages.ts';
import { type ProtectedApplication, sessionLength } from './protected-application.ts';
import { proxyApp, proxyModel } from './proxy-model.ts';
import { authorizePath, callbackPath } from './proxy-paths.ts';
import { pendingUntil, storePending } from './proxy-sessions.ts';
import { openState } from './state.ts';

/**
 * Takes a person from a protected application to the code with which they go back to it. At the address of this server.
 */
export async function authorize(
  needs: ProxyNeeds,
  call: Call,
  application: ProtectedApplication,
): Promise<HttpResponse> {
  const { query } = call.request;
  const ticket = query.get('ticket');
  if (ticket !== null) return redeem(needs, call, application, ticket);
  const sealed = query.get('state') ?? '';
  if (openState(needs.key.box, sealed, call.now)?.provider !== application.pk)
    throw new ErrorPage('The request has expired or does not belong to this application.');
  if (call.actor?.impersonator)
    throw new ErrorPage('Impersonated sessions cannot authorize applications.', { status: 403 });
  if (!application.application.enabled) return rejectIfDisabled(needs, call, application, undefined);
  const signIn = await signInOfSession(call.db.read, call.actor?.session ?? null);
  if (isLoginRequired({ isForced: false }, signIn?.at ?? null, null, call.now)) {
    const next = `${authorizePath(application.application.slug)}?${new URLSearchParams({ state: sealed })}`;
    return redirectBrowser(await signInPage(needs, call, application, { next }));
  }
  if (!(await wouldAllowUse(needs, call, application))) {
    if (!application.application.access_requests) throw denied(application);
    return offerAccessRequest(needs, call, application, undefined);
  }
  return goThroughFlow(needs, call, application, sealed);
}

const denied = ({ application: { name } }: ProtectedApplication) =>
  new ErrorPage(message('You do not have access to {name}.', { name }), {
    status: 403,
    title: 'Access denied',
    advice: 'Ask your administrator if you need it.',
  });

async function goThroughFlow(
  needs: ProxyNeeds,
  call: Call,
  application: ProtectedApplication,
  state: string,
): Promise<HttpResponse> {
  const { slug } = application.application;
  const asked = await requireUserDecision(needs, call, {
    kind: proxyModel,
    provider: application,
    request: { state },
    context: { ...applicationContext(application.application), consent_permissions: [] },
    isSilent: false,
    pathOf: (ticket) => `${authorizePath(slug)}?ticket=${ticket}`,
  });
  switch (asked.outcome) {
    case 'decided':
      return withCookies(await redeem(needs, call, application, asked.ticket), asked.cookies);
    case 'page':
      return asked.answer;
    default:
      throw new ErrorPage('The authorization flow of the application cannot be carried out.', {
        status: 500,
        fault: new Error(`authorization flow: ${asked.outcome}`),
      });
  }
}

/** The callback from a flow. The ticket is bound to this session and is used once. */
async function redeem(
  needs: ProxyNeeds,
  call: Call,
  application: ProtectedApplication,
  id: string,
): Promise<HttpResponse> {
  const ticket = await findTicket(needs.db, needs.key, call, id);
  if (ticket?.provider !== application.pk)
    throw new ErrorPage('This request was already completed, or does not belong to your session.');
  if (ticket.state !== 'granted' || !(await isUseAllowed(needs, call, application))) {
    await call.db.write((tx) => consumeTicket(tx, ticket));
    throw denied(application);
  }
  const state = asText(memberOf(ticket.request, 'state'));
  const code = await storeSession(needs, call, application, ticket, state);
  const url = new URL(callbackPath, application.external_host);
  url.search = new URLSearchParams({ code, state }).toString();
  return redirectBrowser(url.href);
}

/** The session that the browser takes over on the other host. Gives the code for it. */
async function storeSession(
  needs: ProxyNeeds,
  call: Call,
  application: ProtectedApplication,
  ticket: Ticket,
  state: string,
): Promise<string> {
  const { user: actor, session } = requireActor(call);
  const { now } = call;
  const opened = openState(needs.key.box, state, now);
  const user = await cachedUserFacts(call, actor.pk);
  if (!opened || !user?.is_active || session === null)
    throw new ErrorPage('You are not signed in any more, or took too long. Open the application again.');
  const expires = addMilliseconds(now, sessionLength(application));
  const headers = await identityOf(needs, call.db.read, { application, user, now, expires }).catch(async (error) => {
    if (!(error instanceof MappingFailed)) throw error;
    await call.db.write((tx) => call.world.record(tx, call, error.event()));
    throw new ErrorPage(
      'A property mapping of the application fails. Its administrators find the reason in the events.',
    );
  });
  const code = randomToken();
  await call.db.write(async (tx) => {
    if (!(await consumeTicket(tx, ticket))) throw new ErrorPage('This request was answered before.');
    await storePending(tx, needs.key, {
      tokenHash: codeHash(needs.key, code),
      provider: application.pk,
      user: user.pk,
      session,
      browser: opened.browser,
      headers,
      now,
      expires: pendingUntil(now),
    });
    await call.world.record(tx, call, {
      action: 'authorize_application',
      app: proxyApp,
      context: {
        authorized_application: applicationFacts(application.application),
        flow: ticket.flow.replaceAll('-', ''),
      },
    });
  });
  return code;
}
