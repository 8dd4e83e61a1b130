import type { HttpCall, HttpResponse } from '../../../platform/http/routes.ts';
import { redirectBrowser } from '../../../provider/browser-responses.ts';
import { callOf } from '../../../resource/call.ts';
import { check, type Decision } from './check.ts';
import { describeOriginal, isNavigation, type Original, type ProxyKind } from './forwarded.ts';
import { identityHeaders } from './header-names.ts';
import { encodedHeaders } from './identity.ts';
import type { ProxyNeeds } from './needs.ts';
import { notSignedIn, startAddress } from './on-host.ts';
import { outpostPath } from './proxy-model.ts';
import { safeTarget } from './target.ts';
import { unknownHostPage, wrongHeadersPage } from './wrong-headers.ts';

/** Answers a proxy that asks whether a request may pass. Only 200 lets it pass. */
export async function authenticate(needs: ProxyNeeds, http: HttpCall, kind: ProxyKind): Promise<HttpResponse> {
  const call = callOf(http, needs, { now: needs.clock.now() });
  const described = describeOriginal(http, kind);
  // nginx would answer anything but 401 with an error of its own; it sends the browser to `start`, which explains.
  if ('wrong' in described) return kind === 'nginx' ? unauthorized : wrongHeadersPage(call, kind, described.wrong);
  const { original } = described;
  // These paths need no check, and would show what is for the application alone.
  if (isOwnPath(original.path)) return { status: 403, headers: noStore };
  const decision = await check(needs, call, original);
  switch (decision.outcome) {
    case 'allowed':
      return { status: 200, headers: { ...noStore, ...withoutIdentity, ...encodedHeaders(decision.headers) } };
    case 'skipped':
      return { status: 200, headers: { ...noStore, ...withoutIdentity } };
    case 'refused':
      return refused;
    case 'unknown host':
      return kind === 'nginx' ? unauthorized : unknownHostPage(call);
    case 'sign-in':
      return kind === 'nginx' ? unauthorized : toSignIn(http, original, decision);
  }
}

const noStore = { 'cache-control': 'no-store' };
const unauthorized: HttpResponse = { status: 401, headers: noStore };
export const refused: HttpResponse = {
  status: 401,
  headers: { ...noStore, 'www-authenticate': 'Basic realm="Gatehouse", charset="UTF-8"', 'content-type': 'text/plain' },
  body: "Due to 'Receive header authentication' being set, no redirect is performed.",
};

/** Proxies copy what we send: an empty header replaces what a client claims. */
const withoutIdentity = Object.fromEntries(identityHeaders.map((name) => [name, '']));

function toSignIn({ facts }: HttpCall, original: Original, { provider }: Extract<Decision, { outcome: 'sign-in' }>) {
  const target = safeTarget(provider, `${original.scheme}://${original.host}${original.path}${original.search}`);
  if (!isNavigation(original.method, facts.header)) return notSignedIn(provider, target);
  return redirectBrowser(startAddress(provider, target));
}

const isOwnPath = (path: string): boolean => {
  const plain = path.toLowerCase();
  return plain === outpostPath || plain.startsWith(`${outpostPath}/`);
};
