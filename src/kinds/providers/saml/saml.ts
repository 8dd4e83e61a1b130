import { expired } from '../../../core/cleanup/cleanup.jobs.ts';
import type { Config } from '../../../platform/config.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { GuardedFetch } from '../../../platform/fetch/guarded-fetch.ts';
import type { Jobs } from '../../../platform/jobs/job.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import { decideOnTicket } from '../../../provider/authorize/decide.ts';
import type { ProviderKind } from '../../../provider/provider-kind.ts';
import { samlDemo } from './demo.ts';
import { createSamlErrorEvents } from './error-events.ts';
import { logoutJobs, queueLogouts } from './logout/logout.jobs.ts';
import { propagationRedirect } from './logout/logout-propagation.ts';
import { metadataEndpoint } from './metadata.endpoint.ts';
import { samlRoutes } from './routes.ts';
import { samlProvider } from './saml.resource.ts';
import { samlMapping } from './saml-mapping.resource.ts';
import { createKeyOf } from './signing-key.ts';
import { samlTestAction, samlTestRoute } from './test-sign-in.ts';
import { issuerOf, samlPaths } from './urls.ts';

interface Dependencies {
  readonly config: Pick<Config, 'publicUrl'>;
  readonly db: Database;
  readonly key: InstanceKey;
  readonly installId: string;
  readonly sandbox: Sandbox;
  readonly fetch: GuardedFetch;
  jobs(): Jobs;
}

/** SAML 2.0: this server as the identity provider of applications. */
export function samlIdp(needs: Dependencies): ProviderKind {
  const keyOf = createKeyOf(needs.key.box);
  const refusals = createSamlErrorEvents(needs.db);
  const shared = { ...needs, keyOf, refusals, publicUrl: needs.config.publicUrl };
  return {
    resource: samlProvider(needs, [samlTestAction(shared)]),
    clientFacts: ({ issuer }, slug) => {
      const { publicUrl } = needs.config;
      const { metadata, ssoRedirect } = samlPaths(slug);
      return {
        issuer: issuerOf(publicUrl, { issuer: String(issuer), slug }),
        metadata_url: `${publicUrl}${metadata}`,
        sso_url: `${publicUrl}${ssoRedirect}`,
      };
    },
    resources: [samlMapping(needs)],
    routes: (server) => {
      const mount = { ...shared, ...server };
      return [...samlRoutes(mount), samlTestRoute(mount)];
    },
    append: decideOnTicket(needs.key),
    findLogoutRedirect: propagationRedirect(needs),
    afterEvent: queueLogouts(needs.jobs),
    jobs: (server) => logoutJobs({ ...needs, ...server, keyOf }),
    expiring: [
      expired('saml_logins', 'sign-ins to SAML applications'),
      expired('saml_logouts', 'browsers that sign out of SAML applications'),
    ],
    // Responses are brought by a form that the page sends.
    pageNeeds: { forms: true },
    endpoints: [metadataEndpoint({ ...needs, keyOf })],
    demo: samlDemo,
  };
}
