import { checkActsForThemselves } from '../core/access/acting-as.ts';
import { brandTitle } from '../core/brand/brand-title.ts';
import { ownPath } from '../lib/own-path.ts';
import { plainPage } from '../platform/http/plain-page.ts';
import type { HttpAnswer } from '../platform/http/routes.ts';
import type { InstanceKey } from '../platform/keys.ts';
import { randomToken } from '../platform/random.ts';
import type { Call } from '../resource/call.ts';
import { type Door, redirect, type Visitor } from './interactive.ts';
import { checkMayBegin } from './sign-in.ts';
import type { SourceRow } from './source.family.ts';
import type { Away } from './visit-outcome.ts';
import { browserCookie, browserSecret, newBrowserSecret, storeVisit } from './visits.ts';

/** Sends somebody to a source: to sign in, to link their account there or, for a walk that asks for it, to show who they are. */
export async function leave<S extends SourceRow>(door: Door<S>, visitor: Visitor<S>): Promise<HttpAnswer> {
  const { needs, speaker, isSecure } = door;
  const { source, call, given } = visitor;
  await checkMayBegin(needs.policies, source, call);
  const ticket = ticketOf(given);
  if (call.actor && ticket === null) {
    checkActsForThemselves(call);
    if (!isWanted(needs.key, visitor)) return confirmPage(needs.key, visitor);
  }
  const browser = browserSecret(call.request, isSecure) ?? newBrowserSecret();
  const state = randomToken();
  const { to, secrets } = await speaker.depart(source, { state, loginHint: hintOf(given) }, call);
  const next = ownPath(given.get('next'), needs.config.publicUrl);
  const away: Away = { actor: call.actor?.user.pk ?? null, next, ticket, secrets };
  const visit = { purpose: 'out', token: state, browser, source: source.pk } as const;
  await call.db.write((tx) => storeVisit(tx, needs.key, visit, away, call), { durable: false });
  return redirect(to, [browserCookie(browser, isSecure)]);
}

const ticketOf = (given: URLSearchParams): string | null => {
  const ticket = given.get('ticket');
  return ticket !== null && /^[\w-]{43}$/.test(ticket) ? ticket : null;
};

const hintOf = (given: URLSearchParams): string | null => {
  const hint = given.get('login_hint');
  return hint !== null && hint !== '' && hint.length <= 254 ? hint : null;
};

const purpose = 'source link';

/**
 * Whether somebody who is signed in asked for this on a page of ours. Else another site could link an account of its own
 * choice to theirs, by sending their browser here while it is signed in to that account.
 */
function isWanted<S extends SourceRow>(key: InstanceKey, { source, call, given }: Visitor<S>): boolean {
  if (call.request.header('sec-fetch-site') === 'same-origin') return true;
  return key.verify(purpose, proven(source, call), given.get('proof') ?? '');
}

const proven = ({ pk }: SourceRow, { actor }: Call): string => `${pk} ${actor?.session ?? ''}`;

/** A link, not a form: browsers hold what follows a form to the policy of the page. */
async function confirmPage<S extends SourceRow>(
  key: InstanceKey,
  { source, call, given }: Visitor<S>,
): Promise<HttpAnswer> {
  const query = new URLSearchParams({ proof: key.sign(purpose, proven(source, call)) });
  const next = given.get('next');
  if (next !== null) query.set('next', next);
  return plainPage({
    brand: await brandTitle(call.request.host, call.db.read),
    title: `Connect ${source.name}?`,
    paragraphs: [
      `From then on you can sign in here as ${call.actor?.user.username} with your account of ${source.name}.`,
      'Close this page if you did not ask for this.',
    ],
    link: { to: `${call.request.path}?${query}`, text: `Connect ${source.name}` },
  });
}
