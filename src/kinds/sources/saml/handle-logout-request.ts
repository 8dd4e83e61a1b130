import { actingAs } from '../../../core/access/impersonation-guard.ts';
import { loadUserFacts } from '../../../core/mapping/user-facts.ts';
import { endSession } from '../../../core/session/session.ts';
import { endedSessionCookies } from '../../../core/session/session-cookies.ts';
import { clockSkewMs, isWithin } from '../../../lib/saml/header.ts';
import { type LogoutRequest, readLogoutRequest, writeLogoutResponse } from '../../../lib/saml/logout.ts';
import { newMessageId, SamlError } from '../../../lib/saml/message.ts';
import { statusCodes } from '../../../lib/saml/names.ts';
import { message } from '../../../lib/texts/message.ts';
import type { HttpResponse } from '../../../platform/http/routes.ts';
import type { Call } from '../../../resource/call.ts';
import { redirectOrPost } from '../../../source/login-redirect.ts';
import type { SourceRequest } from '../../../source/redirect-source.ts';
import { sourceFacts } from '../../../source/sign-in.ts';
import { buildBrowserMessage } from './build-browser-message.ts';
import type { IncomingLogout } from './logout-message.ts';
import { signedOutPage } from './logout-pages.ts';
import { signingKey, verificationKeys } from './saml-keys.ts';
import { type SamlSource, samlApp, serviceProviderOf } from './saml-model.ts';
import { withSourceErrors } from './saml-protocol.ts';
import { sessionsNamed } from './saml-sessions.ts';
import type { SamlLogoutDependencies } from './start-logout.ts';
import { useLogoutRequest } from './used-assertions.ts';

/** The maximum age of a request without NotOnOrAfter. */
const maxAgeMs = 5 * 60_000;

/** Ends the sessions that the identity provider names in a signed request, and answers it. */
export async function handleLogoutRequest(
  { config, key: instanceKey, isSecure }: SamlLogoutDependencies & { readonly isSecure: boolean },
  { source, call }: SourceRequest<SamlSource>,
  incoming: IncomingLogout,
): Promise<HttpResponse> {
  const reads = { query: call.db.read, world: call.world };
  const keys = await verificationKeys(source, reads);
  const { entityId, logoutUrl } = serviceProviderOf(source, config.publicUrl);
  const request = await withSourceErrors(source.name, () => {
    const read = readLogoutRequest(incoming.message(keys, 'signed'));
    checkRequest(read, source, logoutUrl, Date.parse(call.now));
    return read;
  });
  const once = { id: request.id, validUntil: validUntilOf(request) };
  await call.db.write((tx) => useLogoutRequest(tx, instanceKey, source.pk, once));
  const ended = await endAll(source, request, call);
  const cookies = call.actor?.session && ended.has(call.actor.session) ? endedSessionCookies(isSecure) : [];
  if (!source.slo_url)
    return signedOutPage(call, message('{name} has signed you out.', { name: source.name }), '/', cookies);
  const response = writeLogoutResponse({
    id: newMessageId(),
    issuer: entityId,
    destination: source.slo_url,
    now: new Date(call.now),
    inResponseTo: request.id,
    code: statusCodes.success,
  });
  const key = await signingKey(source, reads);
  const outgoing = { name: 'SAMLResponse', message: response, relayState: incoming.relayState, key } as const;
  return redirectOrPost(buildBrowserMessage(incoming.binding, source.slo_url, outgoing), cookies);
}

function checkRequest(request: LogoutRequest, { idp_issuer }: SamlSource, logoutUrl: string, now: number): void {
  const { issuer, destination, issueInstant } = request;
  if (!issuer || (idp_issuer !== '' && issuer !== idp_issuer)) {
    throw new SamlError('The request was issued by another identity provider (Issuer).');
  }
  if (destination !== logoutUrl) throw new SamlError('The request is addressed to another receiver (Destination).');
  if (!isWithin(now, issueInstant, validUntilOf(request))) {
    throw new SamlError('The request is too old, or not valid yet.');
  }
}

const validUntilOf = ({ issueInstant, notOnOrAfter }: LogoutRequest): number =>
  notOnOrAfter ?? issueInstant + maxAgeMs - clockSkewMs;

async function endAll(source: SamlSource, { nameId, sessionIndexes }: LogoutRequest, call: Call): Promise<Set<string>> {
  const found = await sessionsNamed(call.db.read, source.pk, nameId.value, sessionIndexes);
  const users = new Set(found.map(({ user }) => user));
  for (const user of users) {
    const facts = await loadUserFacts(call.db.read, user);
    const theirs = found.filter((one) => one.user === user);
    await call.db.write(async (tx) => {
      for (const { session } of theirs) await endSession(tx, session);
      if (!facts) return;
      const context = { source: sourceFacts(source), sessions: theirs.length };
      await call.world.record(tx, actingAs(call, facts), { action: 'logout', app: samlApp, context });
    });
  }
  return new Set(found.map(({ session }) => session));
}
