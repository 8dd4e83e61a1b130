import { pageFrame } from '../../../../core/brand/language.ts';
import type { DetourOf } from '../../../../flow/executor/sign-out-detour.ts';
import { readLogoutResponse } from '../../../../lib/saml/logout.ts';
import { newMessageId } from '../../../../lib/saml/message.ts';
import { isSuccess } from '../../../../lib/saml/status.ts';
import type { Query } from '../../../../platform/db/database.ts';
import { plainPage } from '../../../../platform/http/plain-page.ts';
import type { HttpAnswer } from '../../../../platform/http/routes.ts';
import type { InstanceKey } from '../../../../platform/keys.ts';
import { randomToken } from '../../../../platform/random.ts';
import { redirectBrowser } from '../../../../provider/browser-answers.ts';
import type { Call } from '../../../../resource/call.ts';
import { deliver } from '../deliver.ts';
import type { Incoming } from '../incoming.ts';
import { type Login, loginsToVisit } from '../logins.ts';
import type { SamlNeeds } from '../needs.ts';
import { loadServiceProvider, type ServiceProvider } from '../service-provider.ts';
import { watchTour } from './finish-tour.job.ts';
import { logoutRequestFor } from './logout-request.ts';
import { type Tour, tourStore } from './tour-store.ts';

// A browser that signs out visits the service providers that it signed in to, one after the other: each gets a logout request
// and sends the browser back with a response. Who comes back to the page of the tour without a response is told which
// application did not answer, and can go on. When the browser does not come back, a job tells the rest (`finish-tour.job.ts`).

/** Of pages that belong to no application. */
export const tourPath = '/application/saml-logout/';

const sealedAs = 'saml logout tour';

/** The way past the service providers that only the browser can tell. They are noted before the session ends. */
export function detourByTour({ key, jobs }: Pick<SamlNeeds, 'key' | 'jobs'>): DetourOf {
  return async (call, session) => {
    const queue = await loginsToVisit(call.db.read, session);
    if (queue.length === 0) return null;
    const id = randomToken();
    const tour: Tour = { id, queue, at: null, to: '/', session };
    await call.db.write(async (tx) => {
      await tourStore(key, call.now).writeTour(tx, tour);
      await watchTour(jobs(), tx, tour);
    });
    return (to) => addressOf(key, { id, to });
  };
}

/** An address of the tour's page. */
type Stop = {
  readonly id: string;
  readonly to: string;
  /** The request that is given up. */
  readonly past?: string;
};

const addressOf = (key: InstanceKey, stop: Stop): string =>
  `${tourPath}?${new URLSearchParams({ after: key.box.seal(JSON.stringify(stop), sealedAs) })}`;

/** Somebody begins their tour, or comes back to it; nobody else can write its address. */
export async function beginTour(needs: SamlNeeds, call: Call): Promise<HttpAnswer> {
  let opened: Stop;
  try {
    opened = JSON.parse(needs.key.box.open(call.request.query.get('after') ?? '', sealedAs));
  } catch {
    // The box says in no other way that it did not seal this.
    return redirectBrowser('/');
  }
  const store = tourStore(needs.key, call.now);
  return goOn(needs, call, async (tx) => {
    const tour = await store.readTour(tx, opened.id);
    if (!tour) return redirectBrowser(opened.to);
    if (tour.at === null) return nextVisit(needs, call, tx, { ...tour, to: opened.to });
    if (tour.at.request === opened.past) {
      await store.takeRequest(tx, tour.at.request);
      await store.noteFailure(tx, tour);
      return nextVisit(needs, call, tx, tour);
    }
    return unansweredPage(needs, call, tour, tour.at);
  });
}

/**
 * A service provider has sent the browser back. Whatever it says, the tour goes on: its RelayState is never followed, and who
 * is on no tour goes to the start page.
 */
export async function continueTour(
  needs: SamlNeeds,
  call: Call,
  provider: ServiceProvider,
  incoming: Incoming,
): Promise<HttpAnswer> {
  const message = provider.verification === null ? incoming.root : incoming.verified(provider.verification);
  const { inResponseTo, status } = readLogoutResponse(message);
  const store = tourStore(needs.key, call.now);
  return goOn(needs, call, async (tx) => {
    const id = inResponseTo === null ? null : await store.takeRequest(tx, inResponseTo);
    const tour = id === null ? null : await store.readTour(tx, id);
    if (tour?.at?.login.provider !== provider.pk || tour.at.request !== inResponseTo) return redirectBrowser('/');
    if (!isSuccess(status)) await store.noteFailure(tx, tour);
    return nextVisit(needs, call, tx, tour);
  });
}

/** A service provider that the browser visits next. */
interface Visit {
  readonly provider: ServiceProvider;
  readonly login: Login;
  readonly request: string;
}

/** Takes one step of a tour in one transaction, so that a crash loses none. Requests are signed after it. */
async function goOn(
  { keyOf }: SamlNeeds,
  call: Call,
  step: (tx: Query) => Promise<HttpAnswer | Visit>,
): Promise<HttpAnswer> {
  const next = await call.db.write(step);
  if (!('provider' in next)) return next;
  const { provider, login, request: id } = next;
  return deliver({
    name: 'SAMLRequest',
    to: provider.sls_url,
    binding: provider.sls_binding === 'redirect' ? 'redirect' : 'post',
    message: logoutRequestFor(keyOf, provider, login, { id, now: call.now }),
    relayState: null,
    key: keyOf(provider),
  });
}

async function nextVisit(needs: SamlNeeds, call: Call, tx: Query, tour: Tour): Promise<HttpAnswer | Visit> {
  const store = tourStore(needs.key, call.now);
  for (const [index, login] of tour.queue.entries()) {
    const provider = await loadServiceProvider(needs.db, { provider: login.provider });
    if (!provider || provider.sls_url === '' || provider.sls_binding === 'soap') continue;
    const request = newMessageId();
    const queue = tour.queue.slice(index + 1);
    const next: Tour = { ...tour, queue, at: { login, request } };
    await store.writeTour(tx, next);
    await store.writeRequest(tx, request, tour.id);
    await watchTour(needs.jobs(), tx, next);
    return { provider, login, request };
  }
  await store.deleteTour(tx, tour);
  return redirectBrowser(tour.to);
}

async function unansweredPage(
  needs: SamlNeeds,
  call: Call,
  { id, to }: Tour,
  { login, request }: NonNullable<Tour['at']>,
): Promise<HttpAnswer> {
  const found = await loadServiceProvider(needs.db, { provider: login.provider });
  const name = found?.application.name ?? 'An application';
  return plainPage({
    ...(await pageFrame(call)),
    title: 'You are signed out here',
    paragraphs: [`${name} did not say that it has signed you out. Sign out there yourself, or close your browser.`],
    link: { to: addressOf(needs.key, { id, to, past: request }), text: 'Continue' },
  });
}
