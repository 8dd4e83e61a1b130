import { sql } from 'kysely';
import { pageFrame } from '../../../../core/brand/language.ts';
import type { DetourOf } from '../../../../flow/executor/sign-out-detour.ts';
import { readLogoutResponse } from '../../../../lib/saml/logout.ts';
import { newMessageId } from '../../../../lib/saml/message.ts';
import { isSuccess } from '../../../../lib/saml/status.ts';
import { addMilliseconds } from '../../../../platform/clock.ts';
import type { Query } from '../../../../platform/db/database.ts';
import { plainPage } from '../../../../platform/http/plain-page.ts';
import type { HttpAnswer } from '../../../../platform/http/routes.ts';
import { type InstanceKey, sealContext } from '../../../../platform/keys.ts';
import { randomToken, randomUuid } from '../../../../platform/random.ts';
import { redirectBrowser } from '../../../../provider/browser-answers.ts';
import type { Call } from '../../../../resource/call.ts';
import { deliver } from '../deliver.ts';
import type { Incoming } from '../incoming.ts';
import { type Login, loginsToVisit } from '../logins.ts';
import type { SamlNeeds } from '../needs.ts';
import { loadServiceProvider, type ServiceProvider } from '../service-provider.ts';
import { logoutRequestFor } from './logout-request.ts';

// A browser that signs out visits the service providers that it signed in to, one after the other: each gets a logout request
// and sends the browser back with a response. The tour is stored under its id, and its id under that of the request on the way.
// Who comes back to the page of the tour without a response is told which application did not answer, and can go on.

/** Of pages that belong to no application. */
export const tourPath = '/application/saml-logout/';

/** A type, since it is stored as JSON. */
type Tour = {
  readonly id: string;
  /** Still to be visited. */
  readonly queue: readonly Login[];
  /** The service provider that is being visited. */
  readonly at: { readonly provider: number; readonly request: string } | null;
  /** Where the browser goes in the end; an address of this server. */
  readonly to: string;
  /** The session that is over. */
  readonly session: string;
};

const lifetimeMs = 15 * 60_000;
const sealedAs = 'saml logout tour';

async function store(tx: Query, key: InstanceKey, id: string, stored: unknown, now: string): Promise<void> {
  const pk = randomUuid();
  const content = key.box.seal(JSON.stringify(stored), sealContext('saml_logouts', 'content', pk));
  await sql`insert into saml_logouts (pk, id_hash, content, expires)
    values (${pk}, ${key.hash(`saml logout ${id}`)}, ${content}, ${addMilliseconds(now, lifetimeMs)})`.execute(tx);
}

/** Takes out what is stored under an id: whoever has it goes on alone. */
async function take<T>(call: Call, key: InstanceKey, id: string): Promise<T | null> {
  const { rows } = await call.db.write((tx) =>
    sql<{ pk: string; content: string; expires: string }>`delete from saml_logouts
      where id_hash = ${key.hash(`saml logout ${id}`)} returning pk, content, expires`.execute(tx),
  );
  const [row] = rows;
  if (!row || row.expires <= call.now) return null;
  return JSON.parse(key.box.open(row.content, sealContext('saml_logouts', 'content', row.pk)));
}

const failureOf = (session: string) => `failed for ${session}`;

/** Notes that a service provider did not sign somebody out, for who has asked for it. */
async function noteFailure(call: Call, key: InstanceKey, { session }: Tour): Promise<void> {
  const failure = failureOf(session);
  await take(call, key, failure);
  await call.db.write((tx) => store(tx, key, failure, true, call.now));
}

/** Whether a service provider did not sign somebody out on the tour of this session. Tells it once. */
export const takeFailure = async (call: Call, key: InstanceKey, session: string): Promise<boolean> =>
  (await take(call, key, failureOf(session))) !== null;

/** The way past the service providers that only the browser can tell. They are noted before the session ends. */
export function detourByTour(key: InstanceKey): DetourOf {
  return async (call, session) => {
    const queue = await loginsToVisit(call.db.read, session);
    if (queue.length === 0) return null;
    const id = randomToken();
    const tour: Tour = { id, queue, at: null, to: '/', session };
    await call.db.write((tx) => store(tx, key, id, tour, call.now));
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
  const tour = await take<Tour>(call, needs.key, opened.id);
  if (!tour) return redirectBrowser(opened.to);
  if (tour.at === null) return visitNext(needs, call, { ...tour, id: opened.id, to: opened.to });
  if (tour.at.request === opened.past) {
    await take(call, needs.key, tour.at.request);
    await noteFailure(call, needs.key, tour);
    return visitNext(needs, call, tour);
  }
  await call.db.write((tx) => store(tx, needs.key, tour.id, tour, call.now));
  return unansweredPage(needs, call, tour, tour.at);
}

async function unansweredPage(
  needs: SamlNeeds,
  call: Call,
  { id, to }: Tour,
  { provider, request }: NonNullable<Tour['at']>,
): Promise<HttpAnswer> {
  const found = await loadServiceProvider(needs.db, { provider });
  const name = found?.application.name ?? 'An application';
  return plainPage({
    ...(await pageFrame(call)),
    title: 'You are signed out here',
    paragraphs: [`${name} did not say that it has signed you out. Sign out there yourself, or close your browser.`],
    link: { to: addressOf(needs.key, { id, to, past: request }), text: 'Continue' },
  });
}

async function visitNext(needs: SamlNeeds, call: Call, tour: Tour): Promise<HttpAnswer> {
  const [login, ...queue] = tour.queue;
  if (!login) return redirectBrowser(tour.to);
  const provider = await loadServiceProvider(needs.db, { provider: login.provider });
  if (!provider || provider.sls_url === '' || provider.sls_binding === 'soap') {
    return visitNext(needs, call, { ...tour, queue });
  }
  const id = newMessageId();
  const next: Tour = { ...tour, queue, at: { provider: provider.pk, request: id } };
  await call.db.write(async (tx) => {
    await store(tx, needs.key, tour.id, next, call.now);
    await store(tx, needs.key, id, tour.id, call.now);
  });
  return deliver({
    name: 'SAMLRequest',
    to: provider.sls_url,
    binding: provider.sls_binding,
    message: logoutRequestFor(needs.keyOf, provider, login, { id, now: call.now }),
    relayState: null,
    key: needs.keyOf(provider),
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
  const id = inResponseTo === null ? null : await take<string>(call, needs.key, inResponseTo);
  const tour = id === null ? null : await take<Tour>(call, needs.key, id);
  if (tour?.at?.provider !== provider.pk || tour.at.request !== inResponseTo) return redirectBrowser('/');
  if (!isSuccess(status)) await noteFailure(call, needs.key, tour);
  return visitNext(needs, call, tour);
}
