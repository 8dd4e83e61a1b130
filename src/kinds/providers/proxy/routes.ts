import { Problem } from '../../../lib/problem.ts';
import type { Route } from '../../../platform/http/route.ts';
import { anyMethod, type HttpCall, type HttpResponse, json } from '../../../platform/http/routes.ts';
import { stayingInWindow } from '../../../platform/http/security-headers.ts';
import { browserCall } from '../../../provider/browser-call.ts';
import { type Call, callOf } from '../../../resource/call.ts';
import { isStorable } from '../../../resource/fields/well-formed.ts';
import { authenticate } from './auth-routes.ts';
import type { ProxyKind } from './forwarded.ts';
import type { ProxyNeeds } from './needs.ts';
import { callback, type HostCall, start } from './on-host.ts';
import { withPages } from './pages.ts';
import { loadProtected, type ProtectedApplication } from './protected-application.ts';
import { outpostPath } from './proxy-model.ts';
import { authorizePath, callbackPath, endPath, signOutPath, startPath } from './proxy-paths.ts';
import { authorize } from './sign-in-here.ts';
import { endMainSession, signOut } from './sign-out-there.ts';
import { jwksPath } from './token.ts';

/** What proxies, browsers and programs come to: on the hosts of applications, and at the address of this server. */
export function proxyRoutes(needs: ProxyNeeds): Route[] {
  const ask = (kind: ProxyKind, path: string = kind): Route => ({
    methods: [anyMethod],
    path: `${outpostPath}/auth/${path}`,
    handle: (http) => authenticate(needs, http, kind),
  });

  const onHost =
    (work: (needs: ProxyNeeds, host: HostCall) => Promise<HttpResponse>) =>
    async (http: HttpCall): Promise<HttpResponse> => {
      const call = callOf(http, needs, { now: needs.clock.now() });
      needs.anonymous.check(call);
      return withPages(call, () => work(needs, { call, http }));
    };

  const here =
    (work: (needs: ProxyNeeds, call: Call, application: ProtectedApplication) => Promise<HttpResponse>) =>
    async (http: HttpCall): Promise<HttpResponse> => {
      const { slug = '' } = http.params;
      const application = isStorable(slug) ? await loadProtected(needs.db.read, { slug }) : null;
      if (!application) throw new Problem('not_found');
      const call = await browserCall(needs, http);
      needs.anonymous.check(call);
      const answer = await withPages(call, () => work(needs, call, application));
      return { ...answer, headers: { ...stayingInWindow, ...answer.headers } };
    };

  const get = (path: string, handle: Route['handle']): Route => ({ methods: ['GET'], path, handle });
  return [
    ...(['nginx', 'traefik', 'caddy', 'haproxy'] as const).map((kind) => ask(kind)),
    ask('envoy', 'envoy/*'),
    get(`${outpostPath}/ping`, async () => ({ status: 204, headers: { 'cache-control': 'no-store' } })),
    get(startPath, onHost(start)),
    get(callbackPath, onHost(callback)),
    { methods: ['GET', 'POST'], path: signOutPath, handle: onHost(signOut) },
    get(authorizePath('{slug}'), here(authorize)),
    get(endPath('{slug}'), here(endMainSession)),
    get(jwksPath('{slug}'), async () => {
      const signing = await needs.ownKey(needs.db.read);
      return json(200, { keys: signing ? [signing.jwk] : [] });
    }),
  ];
}
