import type { DetourOf } from '../../../flow/executor/sign-out-detour.ts';
import { readLogoutResponse, writeLogoutRequest } from '../../../lib/saml/logout.ts';
import { newMessageId } from '../../../lib/saml/message.ts';
import { isSuccess } from '../../../lib/saml/status.ts';
import type { HttpAnswer } from '../../../platform/http/routes.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import { randomToken } from '../../../platform/random.ts';
import { pathFor, redirect, type Visitor } from '../../../source/interactive.ts';
import { goTo } from '../../../source/leave.ts';
import { SourceRefusal } from '../../../source/source-refusal.ts';
import { storeVisit, takeVisit } from '../../../source/visits.ts';
import { bindingOf, carryMessage } from './carry-message.ts';
import type { IncomingLogout } from './logout-message.ts';
import { signedOutPage } from './logout-pages.ts';
import { signingKey, verificationKeys } from './saml-keys.ts';
import { ourSide, type SamlSource, samlPaths } from './saml-model.ts';
import { type SessionFacts, sourceOfSession } from './saml-sessions.ts';
import { refusing } from './saml-speaker.ts';

export interface LogoutNeeds {
  readonly key: InstanceKey;
  readonly config: { readonly publicUrl: string };
}

const purpose = 'saml sign-out';

/** At sign-out: the way past the identity provider by which the session came, so that it ends there too. */
export const detourThere =
  ({ key }: LogoutNeeds): DetourOf =>
  async (call, session) => {
    const found = await sourceOfSession(call.db.read, session);
    if (!found) return null;
    const { source, slug, nameId, sessionIndex } = found;
    const token = randomToken();
    const visit = { purpose: 'sign-out', token, browser: '', source } as const;
    await call.db.write((tx) => storeVisit(tx, key, visit, { nameId, sessionIndex }, call));
    return (to) => {
      const query = new URLSearchParams({ session: token, to, proof: key.sign(purpose, `${token} ${to}`) });
      return `${pathFor(samlPaths.logout, slug)}?${query}`;
    };
  };

/** Asks the identity provider to end a session that has ended here. */
export async function askThere(needs: LogoutNeeds, { source, call, given }: Visitor<SamlSource>): Promise<HttpAnswer> {
  const { key, config } = needs;
  const token = given.get('session') ?? '';
  const to = given.get('to') ?? '';
  if (!key.verify(purpose, `${token} ${to}`, given.get('proof') ?? ''))
    throw new SourceRefusal('This link is not ours.');
  const visit = { purpose: 'sign-out', token, browser: '', source: source.pk } as const;
  const stored = await call.db.write((tx) => takeVisit<'sign-out', SessionFacts>(tx, key, visit, call.now));
  if (stored === null || !source.slo_url) return redirect(to);
  const { nameId, sessionIndex } = stored;
  const id = newMessageId();
  const message = writeLogoutRequest({
    id,
    issuer: ourSide(source, config.publicUrl).entityId,
    destination: source.slo_url,
    now: new Date(call.now),
    nameId,
    sessionIndexes: sessionIndex === null ? [] : [sessionIndex],
  });
  const signing = await signingKey(source, { query: call.db.read, world: call.world });
  const asked = { purpose: 'logout', token: id, browser: '', source: source.pk } as const;
  await call.db.write((tx) => storeVisit(tx, key, asked, { to }, call), { durable: false });
  const outgoing = { name: 'SAMLRequest', message, relayState: null, key: signing } as const;
  return goTo(carryMessage(bindingOf(source), source.slo_url, outgoing));
}

/**
 * The identity provider's answer. It decides nothing: whoever asked is signed out here already, and goes on to where they
 * wanted to go, which was remembered with the request.
 */
export async function answeredThere(
  { key }: LogoutNeeds,
  { source, call }: Visitor<SamlSource>,
  incoming: IncomingLogout,
): Promise<HttpAnswer> {
  const keys = await verificationKeys(source, { query: call.db.read, world: call.world });
  const { inResponseTo, status } = await refusing(source.name, () =>
    readLogoutResponse(incoming.message(keys, 'signed or not')),
  );
  const asked = { purpose: 'logout', token: inResponseTo ?? '', browser: '', source: source.pk } as const;
  const stored = await call.db.write((tx) => takeVisit<'logout', { to: string }>(tx, key, asked, call.now));
  if (stored === null)
    throw new SourceRefusal('This answer belongs to no sign-out that was begun here, or was used before.');
  const { to } = stored;
  if (isSuccess(status)) return redirect(to);
  return signedOutPage(call, `You are signed out here. ${source.name} could not sign you out everywhere.`, to);
}
