import type { RouteServer } from '../../../flow/protocol-kind.ts';
import { SamlError } from '../../../lib/saml/message.ts';
import type { Route } from '../../../platform/http/route.ts';
import type { Resource } from '../../../resource/resource.ts';
import { handleCallback } from '../../../source/callback.ts';
import { redirectToSource, submitLink } from '../../../source/login-redirect.ts';
import {
  createSourceHandler,
  type RedirectSourceDependencies,
  redirect,
  redirectRoutes,
} from '../../../source/redirect-source.ts';
import { SourceRefusal } from '../../../source/source-refusal.ts';
import { handleLogoutRequest } from './handle-logout-request.ts';
import { incomingLogout } from './logout-message.ts';
import { signOutPage } from './logout-pages.ts';
import { type SamlSource, samlPaths } from './saml-model.ts';
import { samlProtocol } from './saml-protocol.ts';
import { metadataOf } from './sp-metadata.ts';
import { handleLogoutResponse, startLogout } from './start-logout.ts';

interface Dependencies extends RedirectSourceDependencies {
  readonly isSecure: boolean;
}

/** The addresses of SAML sources: to leave and to come back, to sign out, and what identity providers read of us. */
export function samlRoutes(needs: Dependencies, resource: Resource<SamlSource>, server: RouteServer): Route[] {
  const serve = createSourceHandler({ server, resource });
  return [
    ...redirectRoutes(
      { needs, server, resource, protocol: samlProtocol(needs), isSecure: needs.isSecure },
      { redirectToSource, submitLink, handleCallback },
    ),
    {
      methods: ['GET', 'POST'],
      path: samlPaths.logout,
      handle: serve(async (visitor, http) => {
        const { method, query } = http.facts;
        const bringsMessage = method === 'POST' || query.has('SAMLRequest') || query.has('SAMLResponse');
        if (bringsMessage) server.anonymous.check(visitor.call);
        const incoming = readable(() => incomingLogout(http));
        if (incoming?.name === 'SAMLRequest') return handleLogoutRequest(needs, visitor, incoming);
        if (incoming) return handleLogoutResponse(needs, visitor, incoming);
        if (visitor.given.has('session')) return startLogout(needs, visitor);
        return redirect(await signOutPage(visitor.call));
      }),
    },
    {
      methods: ['GET'],
      path: samlPaths.metadata,
      // Identity providers read it before the source is enabled.
      handle: createSourceHandler(
        { server, resource },
        'enabled or not',
      )(async ({ source, call }) => ({
        status: 200,
        headers: { 'content-type': 'text/xml; charset=utf-8' },
        body: await metadataOf(source, needs.config.publicUrl, { query: call.db.read, world: call.world }),
      })),
    },
  ];
}

function readable<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof SamlError ? new SourceRefusal(error.message) : error;
  }
}
