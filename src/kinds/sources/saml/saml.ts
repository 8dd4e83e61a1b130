import type { Config } from '../../../platform/config.ts';
import type { Jobs } from '../../../platform/jobs/job.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import { redirectSourceParts } from '../../../source/redirect-source-parts.ts';
import type { SignInNeeds } from '../../../source/sign-in.ts';
import type { SourceKind } from '../../../source/source-kind.ts';
import { endTemporaryUser } from '../../../source/temporary-users.ts';
import { samlDemo } from './demo.ts';
import { samlSource } from './saml.resource.ts';
import { groupSamlConnection, userSamlConnection } from './saml-connections.resource.ts';
import { samlSourceMapping } from './saml-mapping.resource.ts';
import { type SamlSource, samlConnectionModel, samlMappingModel, samlPaths } from './saml-model.ts';
import { samlRoutes } from './saml-routes.ts';
import { createAppendSamlSteps } from './saml-sessions.ts';
import { logoutRedirectToSource } from './start-logout.ts';
import { temporaryUsersJob, temporaryUsersJobName } from './temporary-users.job.ts';
import { usedAssertions } from './used-assertions.ts';

interface Dependencies extends SignInNeeds {
  readonly config: Pick<Config, 'publicUrl'>;
  readonly key: InstanceKey;
  readonly isSecure: boolean;
  jobs(): Jobs;
}

/** People whom a SAML identity provider vouches for. */
export function saml(needs: Dependencies): SourceKind<SamlSource> {
  const resource = samlSource(needs);
  return {
    resource,
    resources: [userSamlConnection, groupSamlConnection, samlSourceMapping(needs)],
    routes: (server) => samlRoutes(needs, resource, server),
    ...redirectSourceParts({
      login: samlPaths.login,
      component: 'xak-user-settings-source-saml',
      mappingModel: samlMappingModel,
      connectionModel: samlConnectionModel,
    }),
    isReady: ({ verification_kp }) => verification_kp !== null,
    append: createAppendSamlSteps(),
    findLogoutRedirect: logoutRedirectToSource(needs),
    // A user for one session goes with it.
    async afterEvent(tx, call, { action }) {
      const user = call.actor?.user.pk;
      if (action !== 'logout' || user === undefined || !(await endTemporaryUser(tx, user, call.now))) return;
      await needs.jobs().enqueue(tx, { kind: temporaryUsersJobName, payload: {} });
    },
    jobs: (server) => [temporaryUsersJob(server)],
    expiring: [usedAssertions],
    uncachedTables: ['saml_source_sessions', 'user_connection_saml'],
    demo: samlDemo,
  };
}
