import { redirectComponent } from '../../../flow/executor/challenge.ts';
import type { Config } from '../../../platform/config.ts';
import type { Jobs } from '../../../platform/jobs/job.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import { stringSchema } from '../../../resource/json-schema.ts';
import { pathFor } from '../../../source/interactive.ts';
import type { SignInNeeds } from '../../../source/sign-in.ts';
import type { SourceKind } from '../../../source/source-kind.ts';
import { endTemporaryUser } from '../../../source/temporary-users.ts';
import { samlDemo } from './demo.ts';
import { samlSource } from './saml.resource.ts';
import { groupSamlConnection, userSamlConnection } from './saml-connections.resource.ts';
import { samlSourceMapping } from './saml-mapping.resource.ts';
import { type SamlSource, samlConnectionModel, samlMappingModel, samlPaths } from './saml-model.ts';
import { samlRoutes } from './saml-routes.ts';
import { appendSamlSteps } from './saml-sessions.ts';
import { detourThere } from './sign-out-there.ts';
import { temporaryUsersJob, temporaryUsersJobName } from './temporary-users.job.ts';
import { usedAssertions } from './used-assertions.ts';

interface Needs extends SignInNeeds {
  readonly config: Pick<Config, 'publicUrl'>;
  readonly key: InstanceKey;
  readonly isSecure: boolean;
  jobs(): Jobs;
}

/** People whom a SAML identity provider vouches for. */
export function saml(needs: Needs): SourceKind<SamlSource> {
  const resource = samlSource(needs);
  const pathOf = ({ slug }: SamlSource): string => pathFor(samlPaths.login, slug);
  return {
    resource,
    resources: [userSamlConnection, groupSamlConnection, samlSourceMapping(needs)],
    routes: (server) => samlRoutes(needs, resource, server),
    screen: {
      component: redirectComponent,
      members: { to: stringSchema },
      challenge: (source) => ({ to: pathOf(source) }),
    },
    proof: {
      by: 'visit',
      loginPath: pathOf,
      mappingModel: samlMappingModel,
      connectionModel: samlConnectionModel,
    },
    link: { component: 'xak-user-settings-source-saml', configureUrl: pathOf },
    append: appendSamlSteps,
    detourOf: detourThere(needs),
    // A user for one session goes with it.
    async afterEvent(tx, call, { action }) {
      const user = call.actor?.user.pk;
      if (action !== 'logout' || user === undefined || !(await endTemporaryUser(tx, user, call.now))) return;
      await needs.jobs().enqueue(tx, { kind: temporaryUsersJobName, payload: {} });
    },
    jobs: (server) => [temporaryUsersJob(server)],
    expiring: [usedAssertions],
    demo: samlDemo,
  };
}
