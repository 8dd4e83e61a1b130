import { pageFrame } from '../../../../core/brand/page-frame.ts';
import { endSession } from '../../../../core/session/session.ts';
import { readLogoutRequest, writeLogoutResponse } from '../../../../lib/saml/logout.ts';
import { newMessageId, SamlError } from '../../../../lib/saml/message.ts';
import { statusCodes } from '../../../../lib/saml/names.ts';
import { message } from '../../../../lib/texts/message.ts';
import { signXml } from '../../../../lib/xml/sign.ts';
import { addMilliseconds } from '../../../../platform/clock.ts';
import { plainPage } from '../../../../platform/http/plain-page.ts';
import type { HttpResponse } from '../../../../platform/http/routes.ts';
import { redirectBrowser, withCookies } from '../../../../provider/browser-responses.ts';
import { endOwnSession, startSignOut } from '../../../../provider/sign-out.ts';
import type { Call } from '../../../../resource/call.ts';
import type { SamlDependencies } from '../dependencies.ts';
import { ErrorPage } from '../error-page.ts';
import { fromDocument, type IncomingMessage } from '../incoming-message.ts';
import { deleteLogin, findLogin, hasUnreachable, loginsOf } from '../logins.ts';
import { samlApp } from '../models.ts';
import { sendThroughBrowser } from '../send-through-browser.ts';
import type { ServiceProvider } from '../service-provider.ts';
import { checkDestination, checkIssueInstant } from '../sso/read-request.ts';
import { issuerOf, samlPaths } from '../urls.ts';
import { createPropagationStore } from './logout-propagation-store.ts';
import { readEnvelope, soapEnvelope, soapHeaders } from './soap.ts';

/** A pending logout request, carried by the browser. A type, since it is sealed as JSON. */
type PendingLogout = {
  readonly provider: number;
  readonly id: string;
  readonly nameId: string;
  readonly indexes: readonly string[];
  /** Whether the request is signed by the service provider. */
  readonly isProven: boolean;
  readonly relayState: string | null;
  /** The session that the flow for signing out was to end; null until then. */
  readonly ended: { readonly session: string; readonly isPartial: boolean } | null;
};

const sealedAs = 'saml logout';
const lifetimeMs = 30 * 60_000;
const maxIndexes = 20;

/** Validates a logout request. Throws `SamlError` with a message for the user. */
function readLogout(
  needs: SamlDependencies,
  { now }: Call,
  provider: ServiceProvider,
  incoming: IncomingMessage,
): PendingLogout {
  const isProven = provider.verification !== null;
  const request = readLogoutRequest(
    provider.verification === null ? incoming.root : incoming.verified(provider.verification),
  );
  checkDestination(request.destination, provider, needs.publicUrl);
  checkIssueInstant(request.issueInstant, now);
  if (request.notOnOrAfter !== null && request.notOnOrAfter <= Date.parse(now))
    throw new SamlError('The message is too old.');
  return {
    provider: provider.pk,
    id: request.id.slice(0, 256),
    nameId: request.nameId.value,
    indexes: request.sessionIndexes.slice(0, maxIndexes),
    isProven,
    relayState: incoming.relayState,
    ended: null,
  };
}

/** The address at which a logout request goes on. */
function addressOf({ key }: SamlDependencies, call: Call, provider: ServiceProvider, pending: PendingLogout): string {
  const sealed = key.box.seal(JSON.stringify({ pending, expires: addMilliseconds(call.now, lifetimeMs) }), sealedAs);
  return `${samlPaths(provider.application.slug).endpoint}?${new URLSearchParams({ logout: sealed })}`;
}

/** With POST, the browser sends no session cookie (SameSite); after a redirect to GET, it does. */
export const handleLogoutPost = (
  needs: SamlDependencies,
  call: Call,
  provider: ServiceProvider,
  incoming: IncomingMessage,
): HttpResponse => ({
  ...redirectBrowser(addressOf(needs, call, provider, readLogout(needs, call, provider, incoming))),
  status: 303,
});

export const handleLogoutRedirect = (
  needs: SamlDependencies,
  call: Call,
  provider: ServiceProvider,
  incoming: IncomingMessage,
) => continueLogout(needs, call, provider, readLogout(needs, call, provider, incoming));

/** The browser returns with a request that this server has verified. */
export function resumeLogout(
  needs: SamlDependencies,
  call: Call,
  provider: ServiceProvider,
  sealed: string,
): Promise<HttpResponse> {
  let opened: { readonly pending: PendingLogout; readonly expires: string } | null = null;
  try {
    opened = JSON.parse(needs.key.box.open(sealed, sealedAs));
  } catch {
    // Opening throws for values that this server did not seal.
  }
  if (opened?.pending.provider !== provider.pk || opened.expires <= call.now) {
    throw new ErrorPage('The request has expired or does not belong to this application.');
  }
  return continueLogout(needs, call, provider, opened.pending);
}

async function continueLogout(
  needs: SamlDependencies,
  call: Call,
  provider: ServiceProvider,
  pending: PendingLogout,
): Promise<HttpResponse> {
  if (pending.ended !== null) {
    const { session } = pending.ended;
    const hasFailed = await call.db.write((tx) => createPropagationStore(needs.key, call.now).takeFailure(tx, session));
    const isPartial = hasFailed || pending.ended.isPartial;
    // The flow may not have done it.
    const cookies = call.actor?.session === session ? await endOwnSession(needs, call, samlApp) : [];
    return withCookies(
      await respond(needs, call, provider, pending, { code: statusCodes.success, isPartial }),
      cookies,
    );
  }
  const session = call.actor?.session ?? null;
  // Already signed out.
  if (session === null) return respond(needs, call, provider, pending, { code: statusCodes.success });
  const login = await findLogin(call.db.read, session, provider.pk);
  // Anyone can forge an unsigned request; only the service provider has the session index.
  const isMeant =
    login !== null &&
    login.name_id === pending.nameId &&
    (pending.indexes.includes(login.session_index) || (pending.isProven && pending.indexes.length === 0));
  if (!isMeant) return respond(needs, call, provider, pending, { code: statusCodes.requester });
  // Only the others have to be notified.
  await call.db.write((tx) => deleteLogin(tx, login));
  const isPartial = await hasUnreachable(call.db.read, session);
  const next = addressOf(needs, call, provider, { ...pending, ended: { session, isPartial } });
  const { to, cookies } = await startSignOut(needs, call, { next, app: samlApp, flow: provider.invalidation_flow });
  if (to !== null) return redirectBrowser(to, cookies);
  return withCookies(await respond(needs, call, provider, pending, { code: statusCodes.success, isPartial }), cookies);
}

interface LogoutOutcome {
  readonly code: string;
  /** Some service providers are still signed in. */
  readonly isPartial?: boolean;
}

/** Responds to the service provider or, if that accepts no responses, to the user. */
async function respond(
  needs: SamlDependencies,
  call: Call,
  provider: ServiceProvider,
  { id, relayState }: PendingLogout,
  outcome: LogoutOutcome,
): Promise<HttpResponse> {
  const { sls_url, sls_binding } = provider;
  if (sls_url === '' || sls_binding === 'soap') return signedOutPage(call, provider, outcome.code);
  const key = needs.keyOf(provider);
  const response = responseTo(needs, call, provider, id, outcome);
  const message = key && sls_binding === 'post' ? signXml(response, key) : response;
  return sendThroughBrowser({ name: 'SAMLResponse', to: sls_url, binding: sls_binding, message, relayState, key });
}

const responseTo = (
  { publicUrl }: SamlDependencies,
  { now }: Call,
  provider: ServiceProvider,
  inResponseTo: string,
  { code, isPartial }: LogoutOutcome,
) =>
  writeLogoutResponse({
    id: newMessageId(),
    issuer: issuerOf(publicUrl, { issuer: provider.issuer, slug: provider.application.slug }),
    destination: provider.sls_url,
    now: new Date(now),
    inResponseTo,
    code,
    ...(isPartial && { detail: statusCodes.partialLogout }),
  });

const signedOutPage = async (call: Call, { application }: ServiceProvider, code: string): Promise<HttpResponse> => {
  if (code !== statusCodes.success) throw new ErrorPage('The request is for another session than the current one.');
  return plainPage({
    ...(await pageFrame(call)),
    title: 'You are signed out',
    paragraphs: [message('You have signed out of {name}.', { name: application.name })],
    link: { to: '/', text: 'Sign in again' },
  });
};

/** A back-channel request of a service provider. Without a browser, only its signature authenticates it. */
export async function handleLogoutSoap(
  needs: SamlDependencies,
  call: Call,
  provider: ServiceProvider,
  text: string,
): Promise<HttpResponse> {
  if (provider.verification === null)
    throw new SamlError('Logout by SOAP needs the certificate of the service provider.');
  const incoming = fromDocument('SAMLRequest', readEnvelope(text), null);
  const pending = readLogout(needs, call, provider, incoming);
  const logins = await loginsOf(call.db.read, provider.pk, pending.nameId, pending.indexes);
  await call.db.write(async (tx) => {
    for (const login of logins) {
      await deleteLogin(tx, login);
      if (!(await endSession(tx, login.session))) continue;
      const context = { logout_reason: `Signed out by ${provider.application.name}` };
      await call.world.record(tx, call, { action: 'logout', app: samlApp, context });
    }
  });
  const code = logins.length > 0 ? statusCodes.success : statusCodes.requester;
  const response = responseTo(needs, call, provider, pending.id, { code });
  const key = needs.keyOf(provider);
  return { status: 200, headers: soapHeaders, body: soapEnvelope(key ? signXml(response, key) : response) };
}
