import type { Config } from '../../../platform/config.ts';
import type { GuardedFetch } from '../../../platform/fetch/guarded-fetch.ts';
import type { Jobs } from '../../../platform/jobs/job.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import { handleCallback } from '../../../source/callback.ts';
import { redirectToSource, submitLink } from '../../../source/login-redirect.ts';
import { createSourceHandler, redirectRoutes } from '../../../source/redirect-source.ts';
import { redirectSourceParts } from '../../../source/redirect-source-parts.ts';
import type { SignInNeeds } from '../../../source/sign-in.ts';
import type { SourceKind } from '../../../source/source-kind.ts';
import { accessTokensOf } from './access-tokens.ts';
import { oauthDemo } from './demo.ts';
import { backchannelLogoutRoute } from './handle-backchannel-logout.ts';
import { defaultIcon, oauthSource } from './oauth.resource.ts';
import { groupOAuthConnection, userOAuthConnection } from './oauth-connections.resource.ts';
import { oauthSourceMapping } from './oauth-mapping.resource.ts';
import {
  type OAuthSource,
  oauthConnectionModel,
  oauthLogoutPaths,
  oauthMappingModel,
  oauthPaths,
  oauthResource,
} from './oauth-model.ts';
import { oauthProtocol } from './oauth-protocol.ts';
import { createAppendOAuthSteps, usedLogoutTokens } from './oauth-sessions.ts';
import { refreshJob } from './refresh.job.ts';
import { createSourceEndpoints } from './source-endpoints.ts';
import { sourceKeySets } from './source-key-sets.ts';
import { handleLogout, logoutRedirectToSource } from './start-logout.ts';

interface Dependencies extends SignInNeeds {
  readonly config: Pick<Config, 'publicUrl'>;
  readonly key: InstanceKey;
  readonly fetch: GuardedFetch;
  readonly isSecure: boolean;
  jobs(): Jobs;
}

/** People who have an account with an OAuth 2 or OpenID Connect service. */
export function oauth(needs: Dependencies): SourceKind<OAuthSource> {
  const shared = { ...needs, ...createSourceEndpoints(needs.fetch) };
  const protocol = oauthProtocol(shared);
  return {
    resource: oauthSource(needs),
    resources: [userOAuthConnection, groupOAuthConnection, oauthSourceMapping(needs)],
    routes(server) {
      const resource = oauthResource(server.engine.registry);
      return [
        ...redirectRoutes(
          { needs, server, resource, protocol, isSecure: needs.isSecure },
          { redirectToSource, submitLink, handleCallback },
        ),
        {
          methods: ['GET'],
          path: oauthLogoutPaths.logout,
          handle: createSourceHandler({ server, resource })((visitor) => handleLogout(needs, visitor)),
        },
        backchannelLogoutRoute(shared, resource, server),
      ];
    },
    append: createAppendOAuthSteps(needs.key),
    findLogoutRedirect: logoutRedirectToSource(needs),
    expiring: [usedLogoutTokens],
    uncachedTables: ['oauth_source_sessions', 'user_connection_oauth'],
    ...redirectSourceParts({
      login: oauthPaths.login,
      component: 'xak-user-settings-source-oauth',
      mappingModel: oauthMappingModel,
      connectionModel: oauthConnectionModel,
    }),
    iconOf: ({ icon, provider_type }) =>
      icon === null || icon === defaultIcon ? `/static/sources/oauth/${provider_type}.svg` : icon,
    keySets: sourceKeySets,
    accessTokens: accessTokensOf(needs.fetch),
    jobs: (server) => [refreshJob(needs.fetch, server)],
    demo: oauthDemo,
  };
}
