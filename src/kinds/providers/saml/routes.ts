import { brandTitle } from '../../../core/brand/brand-title.ts';
import { Problem } from '../../../lib/problem.ts';
import { SamlError } from '../../../lib/saml/message.ts';
import { plainPage } from '../../../platform/http/plain-page.ts';
import type { Route } from '../../../platform/http/route.ts';
import type { AnswerCall, HttpAnswer, HttpCall } from '../../../platform/http/routes.ts';
import { stayingInWindow } from '../../../platform/http/security-headers.ts';
import { redirectBrowser } from '../../../provider/browser-answers.ts';
import { type BrowserMount, browserCall } from '../../../provider/browser-call.ts';
import type { Call } from '../../../resource/call.ts';
import { type Incoming, incomingPost, incomingRedirect } from './incoming.ts';
import type { SamlNeeds } from './needs.ts';
import { PageRefusal } from './page-refusal.ts';
import { loadServiceProvider, type ServiceProvider } from './service-provider.ts';
import { addressOf, handleRequest, redeem, resume, unsolicited } from './sso/handle-sso.ts';
import { readRequest } from './sso/read-request.ts';
import { samlRoot } from './urls.ts';

export type SamlMount = SamlNeeds & BrowserMount;

type Endpoint = (http: HttpCall, call: Call, provider: ServiceProvider) => Promise<HttpAnswer>;

/** What browsers come to on their way to a service provider or back. */
export function samlRoutes(mount: SamlMount): Route[] {
  const serve =
    (endpoint: Endpoint): AnswerCall =>
    async (http) => {
      const provider = await loadServiceProvider(mount.db, { slug: http.params.slug ?? '' });
      if (!provider) throw new Problem('not_found');
      const call = await browserCall(mount, http);
      const answer = await shown(call, provider, () => endpoint(http, call, provider));
      return { ...answer, headers: { ...stayingInWindow, ...answer.headers } };
    };

  /** What nobody but the person can be told is a page; what a message did wrong is also an event. */
  async function shown(call: Call, provider: ServiceProvider, work: () => Promise<HttpAnswer>): Promise<HttpAnswer> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof SamlError) await mount.refusals.wrongMessage(call, provider, error.message);
      else if (!(error instanceof PageRefusal)) throw error;
      const { status, fault } = error instanceof PageRefusal ? error : { status: 400, fault: null };
      const page = plainPage({
        status,
        brand: await brandTitle(call.request.host, call.db.read),
        title: 'This cannot be done',
        paragraphs: [error.message, `Request id: ${call.request.id}`],
        link: { to: '/', text: 'Go to the start page' },
      });
      return { ...page, fault };
    }
  }

  const byRedirect: Endpoint = async ({ raw }, call, provider) => {
    const { query } = call.request;
    const [ticket, sealed] = [query.get('ticket'), query.get('request')];
    if (!query.has('SAMLRequest') && !query.has('SAMLResponse')) {
      if (ticket !== null) return redeem(mount, call, provider, ticket);
      if (sealed !== null) return resume(mount, call, provider, sealed);
      throw new SamlError('The SAML request payload is missing.');
    }
    return take(incomingRedirect(queryOf(raw.url)), call, provider, (request) =>
      handleRequest(mount, call, provider, request),
    );
  };

  // A form that another site makes the browser send comes without its cookies; asked for by GET, it comes with them.
  const byPost: Endpoint = async ({ body }, call, provider) =>
    take(incomingPost(new URLSearchParams(body.toString('utf8'))), call, provider, async (request) => ({
      ...redirectBrowser(addressOf(mount, call, provider, request)),
      status: 303,
    }));

  async function take(
    incoming: Incoming,
    { now }: Call,
    provider: ServiceProvider,
    goOn: (request: ReturnType<typeof readRequest>) => Promise<HttpAnswer>,
  ): Promise<HttpAnswer> {
    const { local } = incoming.root;
    if (incoming.name === 'SAMLRequest' && local === 'AuthnRequest') {
      return goOn(readRequest(incoming, provider, { publicUrl: mount.publicUrl, now }));
    }
    throw new SamlError(`Unsupported SAML message type: ${local.slice(0, 100)}`);
  }

  const begin: Endpoint = (_http, call, provider) => handleRequest(mount, call, provider, unsolicited(provider));
  const metadata: Endpoint = async (_http, _call, { pk }) =>
    redirectBrowser(`/api/v3/providers/saml/${pk}/metadata/?download`);

  const at = (path: string) => `${samlRoot}{slug}/${path}`;
  const get = (path: string, endpoint: Endpoint): Route => ({
    methods: ['GET'],
    path: at(path),
    handle: serve(endpoint),
  });
  const post = (path: string): Route => ({ methods: ['POST'], path: at(path), handle: serve(byPost) });
  const messages = ['', 'sso/binding/redirect/', 'sso/binding/post/'];
  return [
    ...messages.flatMap((path) => [get(path, byRedirect), post(path)]),
    ...['init/', 'sso/binding/init/'].map((path) => get(path, begin)),
    get('metadata/', metadata),
  ];
}

/** As it came, before anything decoded it. */
const queryOf = (url = ''): string => (url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');
