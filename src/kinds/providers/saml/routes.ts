import { pageFrame } from '../../../core/brand/page-frame.ts';
import type { RouteServer } from '../../../flow/protocol-kind.ts';
import { Problem } from '../../../lib/problem.ts';
import { readForm } from '../../../lib/read-form.ts';
import { SamlError } from '../../../lib/saml/message.ts';
import { message, verbatim } from '../../../lib/texts/message.ts';
import { plainPage } from '../../../platform/http/plain-page.ts';
import type { Route } from '../../../platform/http/route.ts';
import type { HandleCall, HttpCall, HttpResponse } from '../../../platform/http/routes.ts';
import { stayingInWindow } from '../../../platform/http/security-headers.ts';
import { type BrowserMount, browserCall } from '../../../provider/browser-call.ts';
import { redirectBrowser } from '../../../provider/browser-responses.ts';
import type { Call } from '../../../resource/call.ts';
import type { SamlDependencies } from './dependencies.ts';
import { ErrorPage } from './error-page.ts';
import { type IncomingMessage, parsePost, parseRedirect } from './incoming-message.ts';
import { handleLogoutPost, handleLogoutRedirect, handleLogoutSoap, resumeLogout } from './logout/handle-logout.ts';
import { continuePropagation, logoutPropagationPath, showPropagationPage } from './logout/logout-propagation.ts';
import { idpMetadata, metadataType } from './metadata.ts';
import { loadServiceProvider, type ServiceProvider } from './service-provider.ts';
import { buildSsoUrl, handleRequest, handleUnsolicited, redeemTicket, resumeRequest } from './sso/handle-sso.ts';
import { readRequest } from './sso/read-request.ts';
import { samlRoot } from './urls.ts';

export type SamlMount = SamlDependencies & BrowserMount & Pick<RouteServer, 'anonymous'>;

type Endpoint = (http: HttpCall, call: Call, provider: ServiceProvider) => Promise<HttpResponse>;

/** The endpoints that browsers visit on the way to a service provider or back. */
export function samlRoutes(mount: SamlMount): Route[] {
  const serve =
    (endpoint: Endpoint): HandleCall =>
    async (http) => {
      const provider = await loadServiceProvider(mount.db, { slug: http.params.slug ?? '' });
      if (!provider) throw new Problem('not_found');
      const call = await browserCall(mount, http);
      const answer = await shown(call, provider, () => endpoint(http, call, provider));
      return { ...answer, headers: { ...stayingInWindow, ...answer.headers } };
    };

  /**
   * Errors that cannot be sent to a service provider are shown as a page; invalid messages are also recorded as events.
   */
  async function shown(
    call: Call,
    provider: ServiceProvider,
    work: () => Promise<HttpResponse>,
  ): Promise<HttpResponse> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof SamlError) await mount.refusals.wrongMessage(call, provider, error.message);
      else if (!(error instanceof ErrorPage)) throw error;
      const { status, fault } = error instanceof ErrorPage ? error : { status: 400, fault: null };
      const page = plainPage({
        status,
        ...(await pageFrame(call)),
        title: call.request.path.includes('/slo/') ? 'This sign-out cannot continue' : 'This sign-in cannot continue',
        paragraphs: [
          error instanceof ErrorPage ? error.words : verbatim(error.message),
          message('Request id: {id}', { id: call.request.id }),
        ],
        link: { to: '/', text: 'Go to the start page' },
      });
      return { ...page, fault };
    }
  }

  const byRedirect: Endpoint = async ({ raw }, call, provider) => {
    const { query } = call.request;
    const [ticket, sealed, logout] = [query.get('ticket'), query.get('request'), query.get('logout')];
    if (!query.has('SAMLRequest') && !query.has('SAMLResponse')) {
      if (ticket !== null) return redeemTicket(mount, call, provider, ticket);
      if (sealed !== null) return resumeRequest(mount, call, provider, sealed);
      if (logout !== null) return resumeLogout(mount, call, provider, logout);
      throw new SamlError('The SAML request payload is missing.');
    }
    mount.anonymous.check(call);
    const incoming = parseRedirect(queryOf(raw.url));
    switch (kindOf(incoming)) {
      case 'AuthnRequest':
        return handleRequest(mount, call, provider, readAt(call, provider, incoming));
      case 'LogoutRequest':
        return handleLogoutRedirect(mount, call, provider, incoming);
      case 'LogoutResponse':
        return continuePropagation(mount, call, provider, incoming);
    }
  };

  // A cross-site form is sent without our cookies (SameSite); after a redirect to GET, they are sent.
  const byPost: Endpoint = async ({ body }, call, provider) => {
    mount.anonymous.check(call);
    const incoming = parsePost(readForm(body));
    switch (kindOf(incoming)) {
      case 'AuthnRequest': {
        const address = buildSsoUrl(mount, call, provider, readAt(call, provider, incoming));
        return { ...redirectBrowser(address), status: 303 };
      }
      case 'LogoutRequest':
        return handleLogoutPost(mount, call, provider, incoming);
      case 'LogoutResponse':
        return continuePropagation(mount, call, provider, incoming);
    }
  };

  const readAt = ({ now }: Call, provider: ServiceProvider, incoming: IncomingMessage) =>
    readRequest(incoming, provider, { publicUrl: mount.publicUrl, now });

  const bySoap: Endpoint = async ({ body }, call, provider) => {
    mount.anonymous.check(call);
    return handleLogoutSoap(mount, call, provider, body.toString('utf8'));
  };

  const begin: Endpoint = (_http, call, provider) => handleRequest(mount, call, provider, handleUnsolicited(provider));
  // The URL is the entity ID: service providers load it, and some follow no redirects.
  const metadata: Endpoint = async (_http, call, provider) => ({
    status: 200,
    headers: { 'content-type': `${metadataType}; charset=utf-8`, 'cache-control': 'no-cache' },
    body: await idpMetadata(provider, mount.publicUrl, { key: mount.keyOf(provider), only: null, query: call.db.read }),
  });

  const at = (path: string) => `${samlRoot}{slug}/${path}`;
  const get = (path: string, endpoint: Endpoint): Route => ({
    methods: ['GET'],
    path: at(path),
    handle: serve(endpoint),
  });
  const post = (path: string): Route => ({ methods: ['POST'], path: at(path), handle: serve(byPost) });
  const bindings = ['binding/redirect/', 'binding/post/'];
  const messages = ['', ...bindings.map((path) => `sso/${path}`), ...bindings.map((path) => `slo/${path}`)];
  const tour: HandleCall = async (http) => showPropagationPage(mount, await browserCall(mount, http));
  return [
    { methods: ['GET'], path: logoutPropagationPath, handle: tour },
    { methods: ['POST'], path: at('slo/binding/soap/'), handle: serve(bySoap) },
    ...messages.flatMap((path) => [get(path, byRedirect), post(path)]),
    ...['init/', 'sso/binding/init/'].map((path) => get(path, begin)),
    get('metadata/', metadata),
  ];
}

const kinds = ['AuthnRequest', 'LogoutRequest', 'LogoutResponse'] as const;

/** What a message is, if it came under the right name. */
function kindOf({ name, root: { local } }: IncomingMessage): (typeof kinds)[number] {
  const kind = kinds.find((known) => known === local);
  if (kind && name === (kind === 'LogoutResponse' ? 'SAMLResponse' : 'SAMLRequest')) return kind;
  throw new SamlError(`Unsupported SAML message type: ${local.slice(0, 100)}`);
}

/** As it came, before anything decoded it. */
const queryOf = (url = ''): string => (url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');
