import { Problem } from '../../lib/problem.ts';
import type { Route } from '../../platform/http/route.ts';
import type { HttpCall, HttpResponse } from '../../platform/http/routes.ts';
import { stayingInWindow } from '../../platform/http/security-headers.ts';
import { isVisible } from '../../resource/access/access.ts';
import type { Call } from '../../resource/call.ts';
import { parseKey } from '../../resource/read/read.ts';
import type { Engine } from '../../resource/resource.ts';
import { isUseAllowed } from '../authorize/check-use.ts';
import type { AuthorizationDependencies, RequestingProvider } from '../authorize/dependencies.ts';
import { type AuthorizationRequest, requireUserDecision } from '../authorize/require-user-decision.ts';
import { browserCall, type BrowserMount as CallMount } from '../browser-call.ts';
import { redirectBrowser } from '../browser-responses.ts';

export type TestMount = AuthorizationDependencies & CallMount & { readonly engine: Engine };

export interface TestedKind<Provider extends RequestingProvider> {
  /** The path at which a test begins, followed by the key of the provider. */
  readonly path: string;
  readonly model: string;
  load(pk: number): Promise<Provider | null>;
  /** The request of the application. It must not be usable otherwise: `isTest` marks it. */
  asking(
    call: Call,
    provider: Provider,
  ): Promise<Pick<AuthorizationRequest, 'context'> & { readonly request: TestRequest }>;
}

export interface TestRequest {
  readonly isTest: true;
}

/** The page that shows the outcome. */
const resultPage = '/if/admin/applications/test/';

/**
 * Takes an administrator through the authorization of a provider as its application would, without its client: in the
 * end they are redirected to our own page with a ticket for the claims, bound to their session and usable once.
 */
export function testRoute<Provider extends RequestingProvider>(mount: TestMount, kind: TestedKind<Provider>): Route {
  const { registry } = mount.engine;

  async function begin(http: HttpCall): Promise<HttpResponse> {
    const call = await browserCall(mount, http);
    const resource = registry.require(kind.model);
    const pk = parseKey(resource, http.params.provider ?? '');
    if (!call.actor?.session) {
      const next = `${kind.path}${encodeURIComponent(http.params.provider ?? '')}/`;
      return redirectBrowser(await mount.signInPath(call.request.host, call.db.read, next));
    }
    if (call.actor.impersonator)
      throw new Problem('permission_denied', 'You cannot test a sign-in while impersonating a user.');
    const isOpen = pk !== null && (await isVisible(resource, pk, call, registry));
    const provider = isOpen ? await kind.load(Number(pk)) : null;
    if (!provider) throw new Problem('not_found');
    const { application } = provider;
    const back = (members: Record<string, string>) =>
      `${resultPage}?${new URLSearchParams({ application: application.slug, provider: `${resource.path}${pk}/`, ...members })}`;
    if (!application.enabled) return redirectBrowser(back({ outcome: 'off' }));
    if (!(await isUseAllowed(mount, call, provider))) return redirectBrowser(back({ outcome: 'denied' }));
    const asked = await requireUserDecision(mount, call, {
      kind: kind.model,
      provider,
      ...(await kind.asking(call, provider)),
      isSilent: false,
      pathOf: (ticket) => back({ ticket }),
    });
    switch (asked.outcome) {
      case 'decided':
        return redirectBrowser(back({ ticket: asked.ticket }), asked.cookies);
      case 'page':
        return asked.answer;
      default:
        return redirectBrowser(back({ outcome: asked.outcome }));
    }
  }

  return {
    methods: ['GET'],
    path: `${kind.path}{provider}/`,
    handle: async (http) => {
      const answer = await begin(http);
      return { ...answer, headers: { ...stayingInWindow, ...answer.headers } };
    },
  };
}
