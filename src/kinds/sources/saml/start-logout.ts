import type { FindLogoutRedirect } from '../../../flow/executor/logout-redirects.ts';
import { readLogoutResponse, writeLogoutRequest } from '../../../lib/saml/logout.ts';
import { newMessageId } from '../../../lib/saml/message.ts';
import { isSuccess } from '../../../lib/saml/status.ts';
import { message } from '../../../lib/texts/message.ts';
import type { HttpResponse } from '../../../platform/http/routes.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import { redirectOrPost } from '../../../source/login-redirect.ts';
import {
  buildLogoutRedirect,
  consumeLogoutReturn,
  redeemLogoutRedirect,
  storeLogoutReturn,
} from '../../../source/logout-at-source.ts';
import { redirect, type SourceRequest } from '../../../source/redirect-source.ts';
import { SourceRefusal } from '../../../source/source-refusal.ts';
import { bindingOf, buildBrowserMessage } from './build-browser-message.ts';
import type { IncomingLogout } from './logout-message.ts';
import { signedOutPage } from './logout-pages.ts';
import { signingKey, verificationKeys } from './saml-keys.ts';
import { type SamlSource, samlPaths, serviceProviderOf } from './saml-model.ts';
import { withSourceErrors } from './saml-protocol.ts';
import { type SessionFacts, sourceOfSession } from './saml-sessions.ts';

export interface SamlLogoutDependencies {
  readonly key: InstanceKey;
  readonly config: { readonly publicUrl: string };
}

/** At sign-out: the way past the identity provider by which the session came, so that it ends there too. */
export const logoutRedirectToSource =
  ({ key }: SamlLogoutDependencies): FindLogoutRedirect =>
  async (call, session) => {
    const found = await sourceOfSession(call.db.read, session);
    if (!found) return null;
    const { source, slug, nameId, sessionIndex } = found;
    return buildLogoutRedirect(key, call, samlPaths.logout, { source, slug, facts: { nameId, sessionIndex } });
  };

/** Asks the identity provider to end a session that has ended here. */
export async function startLogout(
  { key, config }: SamlLogoutDependencies,
  visitor: SourceRequest<SamlSource>,
): Promise<HttpResponse> {
  const { source, call } = visitor;
  const { to, facts } = await redeemLogoutRedirect<SessionFacts>(key, visitor);
  if (facts === null || !source.slo_url) return redirect(to);
  const { nameId, sessionIndex } = facts;
  const id = newMessageId();
  const message = writeLogoutRequest({
    id,
    issuer: serviceProviderOf(source, config.publicUrl).entityId,
    destination: source.slo_url,
    now: new Date(call.now),
    nameId,
    sessionIndexes: sessionIndex === null ? [] : [sessionIndex],
  });
  const signing = await signingKey(source, { query: call.db.read, world: call.world });
  await storeLogoutReturn(key, { source, call, token: id }, to);
  const outgoing = { name: 'SAMLRequest', message, relayState: null, key: signing } as const;
  return redirectOrPost(buildBrowserMessage(bindingOf(source), source.slo_url, outgoing));
}

/**
 * The identity provider's response. The user is already signed out here, and is redirected to where they
 * wanted to go, which was remembered with the request.
 */
export async function handleLogoutResponse(
  { key }: SamlLogoutDependencies,
  { source, call }: SourceRequest<SamlSource>,
  incoming: IncomingLogout,
): Promise<HttpResponse> {
  const keys = await verificationKeys(source, { query: call.db.read, world: call.world });
  const { inResponseTo, status } = await withSourceErrors(source.name, () =>
    readLogoutResponse(incoming.message(keys, 'signed or not')),
  );
  const to = await consumeLogoutReturn(key, { source, call, token: inResponseTo ?? '' });
  if (to === null)
    throw new SourceRefusal('This answer belongs to no sign-out that was begun here, or was used before.');
  if (isSuccess(status)) return redirect(to);
  return signedOutPage(
    call,
    message('You are signed out here. {name} could not sign you out everywhere.', { name: source.name }),
    to,
  );
}
