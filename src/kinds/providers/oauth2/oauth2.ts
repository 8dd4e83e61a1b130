import { expired } from '../../../core/cleanup/cleanup.jobs.ts';
import type { Config } from '../../../platform/config.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { GuardedFetch } from '../../../platform/fetch/guarded-fetch.ts';
import { createRemoteKeys } from '../../../platform/fetch/remote-keys.ts';
import type { Jobs } from '../../../platform/jobs/job.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import { expiredOfProviders } from '../../../provider/expired-of-providers.ts';
import type { ProviderKind } from '../../../provider/provider-kind.ts';
import { actorOfAccessToken } from './access-token-credential.ts';
import { applicationFilters } from './application-filters.ts';
import { decideOnRequest } from './authorize/decide-request.ts';
import { browserRoutes } from './browser-routes.ts';
import { clientRoutes } from './client-routes.ts';
import { deleteTokensJob } from './delete-tokens.job.ts';
import { oauth2Demo } from './demo.ts';
import { createErrorEvents } from './error-events.ts';
import { createFailureCount } from './failure-count.ts';
import { accessTokens, authorizationCodes, refreshTokens } from './grant.resource.ts';
import { frontChannelRedirect } from './logout/front-channel.ts';
import { logoutJobs, queueLogouts } from './logout/logout.jobs.ts';
import { clientFacts, oauth2Provider } from './oauth2.resource.ts';
import { scopeMapping } from './scope-mapping.resource.ts';
import { createSigner } from './signing.ts';
import { checkChangedPair } from './signing-pair.ts';
import { oauth2TestAction, oauth2TestRoute } from './test-sign-in.ts';

interface Dependencies {
  readonly config: Pick<Config, 'publicUrl'>;
  readonly db: Database;
  readonly key: InstanceKey;
  readonly installId: string;
  readonly sandbox: Sandbox;
  readonly fetch: GuardedFetch;
  jobs(): Jobs;
}

/** OAuth 2 and OpenID Connect. */
export function oauth2(needs: Dependencies): ProviderKind {
  const { db, key, fetch, config } = needs;
  const { publicUrl } = config;
  const signer = createSigner(key.box);
  const refusals = createErrorEvents(db);
  const logouts = queueLogouts(needs.jobs);
  return {
    resource: oauth2Provider(needs, [oauth2TestAction({ ...needs, publicUrl, signer, refusals })]),
    clientFacts: clientFacts(publicUrl),
    applicationFilters,
    resources: [scopeMapping(needs), accessTokens, refreshTokens, authorizationCodes],
    routes(server) {
      const shared = {
        ...needs,
        ...server,
        publicUrl,
        remoteKeys: createRemoteKeys(fetch),
        signer,
        failures: createFailureCount(db),
        refusals,
      };
      return [...clientRoutes(shared), ...browserRoutes(shared), oauth2TestRoute(shared)];
    },
    append: decideOnRequest(key),
    findLogoutRedirect: frontChannelRedirect({ key, publicUrl }),
    async afterEvent(tx, call, event) {
      await checkChangedPair(tx, event);
      await logouts(tx, call, event);
    },
    actorOfBearer: (token, now) => actorOfAccessToken(db, key, token, now, publicUrl),
    jobs: (server) => [...logoutJobs({ ...needs, ...server, publicUrl, signer }), deleteTokensJob(db)],
    // Clients may request `form_post`: the page submits a form to them.
    pageNeeds: { forms: true },
    expiring: [
      expiredOfProviders('oauth2_access_tokens', 'access tokens'),
      expiredOfProviders('oauth2_refresh_tokens', 'refresh tokens'),
      expiredOfProviders('oauth2_authorization_codes', 'authorization codes'),
      expired('oauth2_requests', 'pushed requests and those of devices'),
      expired('oauth2_seen', 'marks of what may be used once'),
      expired('oauth2_published_keys', 'published keys'),
    ],
    uncachedTables: ['oauth2_client_accounts', 'oauth2_logins', 'oauth2_provider_deletions'],
    anonymousLimits: {
      oauth2_requests: { ofNetwork: 300, inAll: 50_000 },
      // People behind one address renew their tokens too.
      oauth2_seen: { ofNetwork: 10_000, inAll: 500_000 },
    },
    demo: oauth2Demo,
  };
}
