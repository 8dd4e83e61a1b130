import { memberOf } from '../../../lib/json.ts';
import { chooseLanguage } from '../../../lib/texts/languages.ts';
import type { Hosted, HostedRequest } from '../../../platform/http/hosted.ts';
import { plainPage } from '../../../platform/http/plain-page.ts';
import { readBody } from '../../../platform/http/read-body.ts';
import type { RequestFacts } from '../../../platform/http/request-facts.ts';
import type { HttpResponse } from '../../../platform/http/routes.ts';
import { type Upstream, UpstreamError, type Upstreams } from '../../../platform/http/upstream.ts';
import { maxRelayedBody, type RelayedAnswer, relayedRequest } from '../../../provider/outpost/relayed-request.ts';
import type { ServerLink } from '../../../provider/outpost/server-link.ts';
import { isOwnPath } from './auth-routes.ts';
import { forwardBy } from './forward-by.ts';
import type { KeptDecisions } from './kept-decisions.ts';
import { passOn } from './pass-on.ts';
import type { Passed } from './upstream-headers.ts';

interface OutpostHostsNeeds {
  readonly link: Pick<ServerLink, 'relay' | 'keepMs'>;
  readonly decisions: KeptDecisions;
  readonly upstreams: Upstreams;
}

/** Serves all hosts in the process of an outpost: the server decides, this process carries it out. */
export function outpostHosts({ link, decisions, upstreams }: OutpostHostsNeeds): Hosted {
  async function ask(http: Pick<HostedRequest, 'facts' | 'raw'>, body?: Buffer): Promise<RelayedAnswer | HttpResponse> {
    const at = performance.now();
    const answer = await link.relay(relayedRequest(http, body));
    // The server is there, but cannot decide.
    const isAway = answer === 'away' || (typeof answer === 'object' && answer.status === 503 && answer.pass === null);
    if (isAway) return decisions.find(http, link.keepMs) ?? unavailable(http);
    if (answer === 'refused') return unavailable(http);
    if (answer === 'invalid') return { status: 400, headers: noStore };
    decisions.note(http, answer, at);
    return answer;
  }

  async function route(
    request: HostedRequest,
    forward: (upstream: Upstream) => Promise<void>,
    sent: () => number,
  ): Promise<HttpResponse> {
    const { facts, raw } = request;
    if (isOwnPath(facts.path)) return responseOf(await ask(request, await readBody(raw, maxRelayedBody)));
    const answer = await ask(request);
    const passed = passedBy(answer);
    if (passed === null) return responseOf(answer);
    const isStillAllowed = async () => passedBy(await ask({ facts, raw }))?.outcome === passed.outcome;
    const done = await passOn({ ...request, passed, isStillAllowed }, forward, sent);
    return done instanceof UpstreamError ? unreachable(request, done) : done;
  }

  return {
    isForeign: ({ path }) => !path.startsWith('/-/health/'),
    ...forwardBy(upstreams, route),
  };
}

const noStore = { 'cache-control': 'no-store' };

/** Access is denied while the server cannot be reached. */
const unavailable = ({ facts }: Pick<HostedRequest, 'facts'>): HttpResponse =>
  plainPage({
    ...frameOf(facts),
    status: 503,
    title: 'Not available at the moment',
    paragraphs: ['The service is not available at the moment. Please try again.'],
  });

const frameOf = ({ header }: RequestFacts) => ({
  brand: 'Gatehouse',
  language: chooseLanguage([], header('accept-language')),
});

const responseOf = ({ status, headers = {}, body = '' }: HttpResponse | RelayedAnswer): HttpResponse => ({
  status,
  headers,
  body,
});

const unreachable = ({ facts }: HostedRequest, error: UpstreamError): HttpResponse => ({
  ...plainPage({
    ...frameOf(facts),
    status: error.isTimeout ? 504 : 502,
    title: 'The application cannot be reached',
    paragraphs: [
      error.isTimeout
        ? 'It took too long to answer. Try again in a moment.'
        : 'Gatehouse could not connect to it. Try again in a moment.',
    ],
  }),
  fault: error,
});

/** What the server lets this process pass on. Null unless every part is present. */
function passedBy(answer: RelayedAnswer | HttpResponse): Passed | null {
  const pass: unknown = memberOf(answer, 'pass');
  const outcome = memberOf(pass, 'outcome');
  const internal_host = memberOf(memberOf(pass, 'provider'), 'internal_host');
  if (typeof internal_host !== 'string' || !URL.canParse(internal_host)) return null;
  const verifies = memberOf(memberOf(pass, 'provider'), 'internal_host_ssl_validation');
  const provider = { internal_host, internal_host_ssl_validation: verifies !== false };
  if (outcome === 'skipped') return { outcome, provider };
  const headers = memberOf(pass, 'headers');
  if (outcome !== 'allowed' || !isHeaderList(headers)) return null;
  return { outcome, provider, headers, isProgram: memberOf(pass, 'isProgram') === true };
}

const isHeaderList = (value: unknown): value is [string, string][] =>
  Array.isArray(value) &&
  value.every((one) => Array.isArray(one) && one.length === 2 && one.every((part) => typeof part === 'string'));
