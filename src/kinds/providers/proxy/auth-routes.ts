import type { HttpCall, HttpResponse } from '../../../platform/http/routes.ts';
import { redirectBrowser } from '../../../provider/browser-responses.ts';
import type { RelayAnswer } from '../../../provider/outpost/relayed-request.ts';
import { type Call, callOf } from '../../../resource/call.ts';
import { check, type Decision } from './check.ts';
import { type Described, describeOriginal, isNavigation, type Original, type ProxyKind } from './forwarded.ts';
import { findGuardedHost } from './guarded-host.ts';
import { identityHeaders, isFoldedIdentity } from './header-names.ts';
import { normalHost } from './hosts.ts';
import { encodedHeaders } from './identity.ts';
import type { ProxyNeeds } from './needs.ts';
import { notSignedIn, startAddress } from './on-host.ts';
import { outpostPath } from './proxy-model.ts';
import { findTest, noteStep } from './proxy-test.ts';
import { safeTarget } from './target.ts';
import { unknownHostPage, wrongHeadersPage } from './wrong-headers.ts';

export interface CheckResponse extends HttpResponse {
  /** How long and for what an outpost may reuse it while it cannot reach this server. */
  readonly reuse?: RelayAnswer['reuse'];
}

/** Answers a proxy that asks whether a request may pass. Only 200 lets it pass. */
export async function authenticate(needs: ProxyNeeds, http: HttpCall, kind: ProxyKind): Promise<CheckResponse> {
  const call = callOf(http, needs, { now: needs.clock.now() });
  const described = describeOriginal(http, kind);
  const test = await findTest(needs, call, http.raw);
  if (test !== null) {
    const answer = await noteCheck(needs, call, http, { test, kind, described });
    if (answer) return answer;
  }
  // nginx would answer anything but 401 with an error of its own; it sends the browser to `start`, which explains.
  if ('wrong' in described) return kind === 'nginx' ? unauthorized : wrongHeadersPage(call, kind, described.wrong);
  const { original } = described;
  if (isOwnPath(original.path) || original.host === ownHost(needs)) return forbidden;
  if (Object.keys(http.raw.headers).some(isFoldedIdentity)) return forbidden;
  const decision = await check(needs, call, original);
  const passing = { ...noStore, ...withoutIdentity, ...authorizationAfter(decision, http) };
  switch (decision.outcome) {
    case 'allowed':
      return { status: 200, headers: { ...passing, ...encodedHeaders(decision.headers) }, reuse: 'session' };
    case 'skipped':
      return { status: 200, headers: passing, reuse: 'path' };
    case 'refused':
      return refused;
    case 'unknown host':
      return kind === 'nginx' ? unauthorized : unknownHostPage(call);
    case 'sign-in':
      return kind === 'nginx' ? unauthorized : toSignIn(http, original, decision);
  }
}

/** A test goes on to the sign-in even with a session. Null if there is no such test or no address to go on to. */
async function noteCheck(
  needs: ProxyNeeds,
  call: Call,
  http: HttpCall,
  { test, kind, described }: { test: string; kind: ProxyKind; described: Described },
): Promise<HttpResponse | null> {
  const original = 'original' in described ? described.original : null;
  const guarded = original && (await findGuardedHost(needs, call, original.host, []));
  const provider = guarded?.provider ?? null;
  const step = { step: 'check', proxy: kind, raw: http.raw, described, provider: provider?.pk ?? null } as const;
  if (!(await noteStep(call, test, step)) || !original || !provider) return null;
  return kind === 'nginx' ? unauthorized : toSignIn(http, original, { outcome: 'sign-in', provider });
}

const noStore = { 'cache-control': 'no-store' };
const unauthorized: HttpResponse = { status: 401, headers: noStore };
/**
 * For the pages of this server, which need no check: a client would read what is for the application alone. And for
 * names of headers that only a client sends, for the application to take them for ours.
 */
const forbidden: HttpResponse = { status: 403, headers: noStore };
const ownHost = ({ publicUrl }: ProxyNeeds) => normalHost(new URL(publicUrl).host);

export const refused: HttpResponse = {
  status: 401,
  headers: { ...noStore, 'www-authenticate': 'Basic realm="Gatehouse", charset="UTF-8"', 'content-type': 'text/plain' },
  body: "Due to 'Receive header authentication' being set, no redirect is performed.",
};

/** Proxies copy what we send: an empty header replaces what a client claims. */
const withoutIdentity = Object.fromEntries(identityHeaders.map((name) => [name, '']));

/** Proxies copy it: the application gets what the client sent for it, and no app password. */
function authorizationAfter(decision: Decision, { facts }: HttpCall): { readonly authorization?: string } {
  const sent = facts.header('authorization');
  if (sent === undefined) return {};
  return { authorization: decision.outcome === 'allowed' && decision.isProgram ? '' : sent };
}

function toSignIn({ facts }: HttpCall, original: Original, { provider }: Extract<Decision, { outcome: 'sign-in' }>) {
  const target = safeTarget(provider, `${original.scheme}://${original.host}${original.path}${original.search}`);
  if (!isNavigation(original.method, facts.header)) return notSignedIn(provider, target);
  return redirectBrowser(startAddress(provider, target));
}

export const isOwnPath = (path: string): boolean => {
  const plain = path.toLowerCase();
  return plain === outpostPath || plain.startsWith(`${outpostPath}/`);
};
