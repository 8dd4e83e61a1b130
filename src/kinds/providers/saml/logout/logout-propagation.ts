import { pageFrame } from '../../../../core/brand/page-frame.ts';
import type { FindLogoutRedirect } from '../../../../flow/executor/logout-redirects.ts';
import { readLogoutResponse } from '../../../../lib/saml/logout.ts';
import { newMessageId } from '../../../../lib/saml/message.ts';
import { isSuccess } from '../../../../lib/saml/status.ts';
import { message } from '../../../../lib/texts/message.ts';
import type { Query } from '../../../../platform/db/database.ts';
import { plainPage } from '../../../../platform/http/plain-page.ts';
import type { HttpResponse } from '../../../../platform/http/routes.ts';
import type { InstanceKey } from '../../../../platform/keys.ts';
import { randomToken } from '../../../../platform/random.ts';
import { redirectBrowser } from '../../../../provider/browser-responses.ts';
import type { Call } from '../../../../resource/call.ts';
import type { SamlDependencies } from '../dependencies.ts';
import type { IncomingMessage } from '../incoming-message.ts';
import { findBrowserLogouts, type Login } from '../logins.ts';
import { sendThroughBrowser } from '../send-through-browser.ts';
import { loadServiceProvider, type ServiceProvider } from '../service-provider.ts';
import { scheduleFinishPropagation } from './finish-propagation.job.ts';
import { createPropagationStore, type LogoutPropagation } from './logout-propagation-store.ts';
import { logoutRequestFor } from './logout-request.ts';

// At logout, the browser is redirected to its service providers one after the other: each gets a logout request and
// sends the browser back with a response. If the browser returns without a response, the page names the application
// that did not respond, and continues. If the browser does not return, a job notifies the rest
// (`finish-propagation.job.ts`).

/** Of pages that belong to no application. */
export const logoutPropagationPath = '/application/saml-logout/';

const sealedAs = 'saml logout tour';

/** The redirect to service providers with front-channel logout. They are stored before the session ends. */
export function propagationRedirect({ key, jobs }: Pick<SamlDependencies, 'key' | 'jobs'>): FindLogoutRedirect {
  return async (call, session) => {
    const queue = await findBrowserLogouts(call.db.read, session);
    if (queue.length === 0) return null;
    const id = randomToken();
    const propagation: LogoutPropagation = { id, queue, at: null, to: '/', session };
    await call.db.write(async (tx) => {
      await createPropagationStore(key, call.now).writePropagation(tx, propagation);
      await scheduleFinishPropagation(jobs(), tx, propagation);
    });
    return (to) => addressOf(key, { id, to });
  };
}

/** The contents of the sealed URL of the page. */
type PropagationPage = {
  readonly id: string;
  readonly to: string;
  /** The request that is given up. */
  readonly past?: string;
};

const addressOf = (key: InstanceKey, stop: PropagationPage): string =>
  `${logoutPropagationPath}?${new URLSearchParams({ after: key.box.seal(JSON.stringify(stop), sealedAs) })}`;

/** The browser starts the propagation, or returns to it. The URL is sealed. */
export async function showPropagationPage(needs: SamlDependencies, call: Call): Promise<HttpResponse> {
  let opened: PropagationPage;
  try {
    opened = JSON.parse(needs.key.box.open(call.request.query.get('after') ?? '', sealedAs));
  } catch {
    // Opening throws for values that this server did not seal.
    return redirectBrowser('/');
  }
  const store = createPropagationStore(needs.key, call.now);
  return takeStep(needs, call, async (tx) => {
    const propagation = await store.readPropagation(tx, opened.id);
    if (!propagation) return redirectBrowser(opened.to);
    if (propagation.at === null) return nextProvider(needs, call, tx, { ...propagation, to: opened.to });
    if (propagation.at.request === opened.past) {
      await store.takeRequest(tx, propagation.at.request);
      await store.storeFailure(tx, propagation);
      return nextProvider(needs, call, tx, propagation);
    }
    return renderNoResponsePage(needs, call, propagation, propagation.at);
  });
}

/**
 * A service provider has sent the browser back. Propagation continues in any case. RelayState is never followed (open
 * redirect), and a browser without a pending propagation goes to the start page.
 */
export async function continuePropagation(
  needs: SamlDependencies,
  call: Call,
  provider: ServiceProvider,
  incoming: IncomingMessage,
): Promise<HttpResponse> {
  const message = provider.verification === null ? incoming.root : incoming.verified(provider.verification);
  const { inResponseTo, status } = readLogoutResponse(message);
  const store = createPropagationStore(needs.key, call.now);
  return takeStep(needs, call, async (tx) => {
    const id = inResponseTo === null ? null : await store.takeRequest(tx, inResponseTo);
    const propagation = id === null ? null : await store.readPropagation(tx, id);
    if (propagation?.at?.login.provider !== provider.pk || propagation.at.request !== inResponseTo)
      return redirectBrowser('/');
    if (!isSuccess(status)) await store.storeFailure(tx, propagation);
    return nextProvider(needs, call, tx, propagation);
  });
}

/** A service provider that the browser visits next. */
interface ProviderLogout {
  readonly provider: ServiceProvider;
  readonly login: Login;
  readonly request: string;
}

/** Takes one step of a tour in one transaction, so that a crash loses none. Requests are signed after it. */
async function takeStep(
  { keyOf }: SamlDependencies,
  call: Call,
  step: (tx: Query) => Promise<HttpResponse | ProviderLogout>,
): Promise<HttpResponse> {
  const next = await call.db.write(step);
  if (!('provider' in next)) return next;
  const { provider, login, request: id } = next;
  return sendThroughBrowser({
    name: 'SAMLRequest',
    to: provider.sls_url,
    binding: provider.sls_binding === 'redirect' ? 'redirect' : 'post',
    message: logoutRequestFor(keyOf, provider, login, { id, now: call.now }),
    relayState: null,
    key: keyOf(provider),
  });
}

async function nextProvider(
  needs: SamlDependencies,
  call: Call,
  tx: Query,
  propagation: LogoutPropagation,
): Promise<HttpResponse | ProviderLogout> {
  const store = createPropagationStore(needs.key, call.now);
  for (const [index, login] of propagation.queue.entries()) {
    const provider = await loadServiceProvider(needs.db, { provider: login.provider });
    if (!provider || provider.sls_url === '' || provider.sls_binding === 'soap') continue;
    const request = newMessageId();
    const queue = propagation.queue.slice(index + 1);
    const next: LogoutPropagation = { ...propagation, queue, at: { login, request } };
    await store.writePropagation(tx, next);
    await store.writeRequest(tx, request, propagation.id);
    await scheduleFinishPropagation(needs.jobs(), tx, next);
    return { provider, login, request };
  }
  await store.deletePropagation(tx, propagation);
  return redirectBrowser(propagation.to);
}

async function renderNoResponsePage(
  needs: SamlDependencies,
  call: Call,
  { id, to }: LogoutPropagation,
  { login, request }: NonNullable<LogoutPropagation['at']>,
): Promise<HttpResponse> {
  const found = await loadServiceProvider(needs.db, { provider: login.provider });
  const name = found?.application.name ?? 'An application';
  return plainPage({
    ...(await pageFrame(call)),
    title: 'You are signed out here',
    paragraphs: [
      message('{name} did not confirm that you are signed out. Sign out there yourself, or close your browser.', {
        name,
      }),
    ],
    link: { to: addressOf(needs.key, { id, to, past: request }), text: 'Continue' },
  });
}
