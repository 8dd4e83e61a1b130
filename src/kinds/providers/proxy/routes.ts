import { Problem } from '../../../lib/problem.ts';
import type { Route } from '../../../platform/http/route.ts';
import { anyMethod, type HttpCall, type HttpResponse, json } from '../../../platform/http/routes.ts';
import { stayingInWindow } from '../../../platform/http/security-headers.ts';
import { browserCall } from '../../../provider/browser-call.ts';
import { type Call, callOf } from '../../../resource/call.ts';
import { isStorable } from '../../../resource/fields/well-formed.ts';
import { authenticate, type CheckResponse } from './auth-routes.ts';
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

type HandleOnHost = (needs: ProxyNeeds, http: HttpCall) => Promise<CheckResponse>;

interface HostRoute extends Pick<Route, 'methods' | 'path'> {
  readonly handle: HandleOnHost;
}

/** What proxies, browsers and programs come to on the hosts of applications, at this server or at an outpost. */
export const hostRoutes: readonly HostRoute[] = [
  ...(['nginx', 'traefik', 'caddy', 'haproxy'] as const).map((kind) => checkRoute(kind)),
  checkRoute('envoy', 'envoy/*'),
  {
    methods: ['GET'],
    path: `${outpostPath}/ping`,
    handle: async () => ({ status: 204, headers: { 'cache-control': 'no-store' } }),
  },
  { methods: ['GET'], path: startPath, handle: onHost(start) },
  { methods: ['GET'], path: callbackPath, handle: onHost(callback) },
  { methods: ['GET', 'POST'], path: signOutPath, handle: onHost(signOut) },
];

function checkRoute(kind: ProxyKind, path: string = kind): HostRoute {
  return {
    methods: [anyMethod],
    path: `${outpostPath}/auth/${path}`,
    handle: (needs, http) => authenticate(needs, http, kind),
  };
}

function onHost(work: (needs: ProxyNeeds, host: HostCall) => Promise<HttpResponse>): HandleOnHost {
  return async (needs, http) => {
    const call = callOf(http, needs, { now: needs.clock.now() });
    needs.anonymous.check(call);
    return withPages(call, () => work(needs, { call, http }));
  };
}

/** The same, and what people come to at the address of this server. */
export function proxyRoutes(needs: ProxyNeeds): Route[] {
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
    ...hostRoutes.map(({ handle, ...route }) => ({ ...route, handle: (http: HttpCall) => handle(needs, http) })),
    get(authorizePath('{slug}'), here(authorize)),
    get(endPath('{slug}'), here(endMainSession)),
    get(jwksPath('{slug}'), async () => {
      const signing = await needs.ownKey(needs.db.read);
      return json(200, { keys: signing ? [signing.jwk] : [] });
    }),
  ];
}
