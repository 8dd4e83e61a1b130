import { sql } from 'kysely';
import { frameAtApplication } from '../../../core/brand/page-frame.ts';
import { message } from '../../../lib/texts/message.ts';
import { queryCache } from '../../../platform/db/query-cache.ts';
import type { Hosted, HostedRequest } from '../../../platform/http/hosted.ts';
import { plainPage } from '../../../platform/http/plain-page.ts';
import type { RequestFacts } from '../../../platform/http/request-facts.ts';
import type { HttpResponse } from '../../../platform/http/routes.ts';
import { type Upstream, UpstreamError, type Upstreams } from '../../../platform/http/upstream.ts';
import { redirectBrowser } from '../../../provider/browser-responses.ts';
import { type Call, callOf } from '../../../resource/call.ts';
import { refused } from './auth-routes.ts';
import { check, type Decision } from './check.ts';
import { forwardBy } from './forward-by.ts';
import { isNavigation, type Original } from './forwarded.ts';
import { findGuardedHost, readHost } from './guarded-host.ts';
import type { ProxyNeeds } from './needs.ts';
import { notSignedIn, startAddress } from './on-host.ts';
import { passOn } from './pass-on.ts';
import { outpostPath } from './proxy-model.ts';
import { findTest, noteStep, testedPage } from './proxy-test.ts';
import { safeTarget } from './target.ts';
import type { Passed } from './upstream-headers.ts';

const cache = queryCache<ReadonlySet<string>>('proxied hosts');

/** The hosts of which this server is the reverse proxy. */
export function proxiedHosts(needs: ProxyNeeds, upstreams: Upstreams): Hosted {
  const ownHost = new URL(needs.publicUrl).host;

  async function isProxied(host: string): Promise<boolean> {
    const hosts = await cache.read(needs.db, 'all', async (query) => {
      const { rows } = await sql<{ host: string }>`select host from provider_proxy where mode = 'proxy'`.execute(query);
      return new Set(rows.map((row) => row.host));
    });
    return hosts.has(host);
  }

  async function route(
    { facts, raw, stopping }: HostedRequest,
    forward: (upstream: Upstream) => Promise<void>,
    sent: () => number,
  ): Promise<HttpResponse | null> {
    const host = hostOf(facts);
    if (host === null || !(await isProxied(host))) return null;
    const decided = await decideProxied(needs, { facts, raw });
    if (decided === null || 'status' in decided) return decided;
    const again = async () => {
      const next = await decideProxied(needs, { facts, raw });
      return next !== null && 'outcome' in next && next.outcome === decided.outcome;
    };
    const answer = await passOn({ facts, raw, stopping, passed: decided, isStillAllowed: again }, forward, sent);
    if (!(answer instanceof UpstreamError)) return answer;
    return unreachablePage(callOf({ facts, params: {} }, needs, { now: needs.clock.now() }), answer);
  }

  return {
    isForeign: (facts) => {
      const { path } = facts;
      // Probes ask by whatever host they know, also while the database is away, which knows the applications' hosts.
      const isOurs = path === outpostPath || path.startsWith(`${outpostPath}/`) || path.startsWith('/-/health/');
      return !isOurs && hostOf(facts) !== ownHost;
    },
    ...forwardBy(upstreams, route),
  };
}

/**
 * Decides about a request to a host of the mode `proxy`: it passes, gets a response, or (null) has no provider here.
 */
export async function decideProxied(
  needs: ProxyNeeds,
  { facts, raw }: Pick<HostedRequest, 'facts' | 'raw'>,
): Promise<Passed | HttpResponse | null> {
  const host = hostOf(facts);
  const { url = '' } = raw;
  if (host === null) return null;
  if (!url.startsWith('/')) return { status: 400 };
  // The application would send back the headers that are for it alone.
  if (facts.method === 'TRACE') return { status: 405 };
  const search = url.slice(facts.path.length);
  const scheme = facts.isSecure ? 'https' : 'http';
  const original: Original = { method: facts.method, scheme, host, path: facts.path, search };
  const call = callOf({ facts, params: {} }, needs, { now: needs.clock.now() });
  const test = await findTest(needs, call, raw);
  if (test !== null) {
    const guarded = await findGuardedHost(needs, call, host, []);
    const step = { step: 'request', raw, provider: guarded?.provider.pk ?? null } as const;
    if (await noteStep(call, test, step)) return testedPage(call);
  }
  const decision = await check(needs, call, original, 'proxy');
  if (decision.outcome === 'allowed' || decision.outcome === 'skipped') return decision;
  return turnAway(decision, facts, original);
}

const hostOf = ({ authority, isSecure }: RequestFacts) => readHost(authority, isSecure ? 'https' : 'http');

/** Users without access to the application sign in first, or are denied. */
function turnAway(
  decision: Decision,
  { header }: RequestFacts,
  { method, scheme, host, path, search }: Original,
): HttpResponse | null {
  if (decision.outcome === 'refused') return refused;
  if (decision.outcome !== 'sign-in') return null;
  const target = safeTarget(decision.provider, `${scheme}://${host}${path}${search}`);
  if (!isNavigation(method, header)) return notSignedIn(decision.provider, target);
  return redirectBrowser(startAddress(decision.provider, target));
}

const unreachablePage = async (call: Call, error: UpstreamError): Promise<HttpResponse> => ({
  ...plainPage({
    status: error.isTimeout ? 504 : 502,
    ...(await frameAtApplication(call)),
    title: 'The application cannot be reached',
    paragraphs: [
      error.isTimeout
        ? 'It took too long to answer. Try again in a moment.'
        : 'Gatehouse could not connect to it. Try again in a moment.',
      message('Request id: {id}', { id: call.request.id }),
    ],
  }),
  fault: error,
});
