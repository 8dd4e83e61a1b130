import { roleResource } from '../core/access/role.resource.ts';
import { groupResource } from '../core/directory/group.resource.ts';
import { userResource } from '../core/directory/user.resource.ts';
import { certificateResource } from '../core/key/certificate.resource.ts';
import { mappingsResource } from '../core/mapping/mappings.resource.ts';
import { openFetchWithin } from '../core/outpost/ask-version.ts';
import { connectionsResource } from '../core/outpost/service-connection.family.ts';
import { clusterConnection } from '../kinds/connections/cluster/cluster.resource.ts';
import { askCluster } from '../kinds/connections/cluster/cluster-state.ts';
import { containerConnection } from '../kinds/connections/container/container.resource.ts';
import { askContainer } from '../kinds/connections/container/container-state.ts';
import { notificationMapping } from '../kinds/mappings/notification/notification.resource.ts';
import { expressions } from '../kinds/policies/expression/expression.ts';
import { countriesEndpoint } from '../kinds/policies/geoip/geoip.resource.ts';
import { geoIp } from '../kinds/policies/geoip/geoip.ts';
import { passwordExpiry } from '../kinds/policies/password-expiry/password-expiry.ts';
import { reputation } from '../kinds/policies/reputation/reputation.ts';
import { reputationScores } from '../kinds/policies/reputation/score.resource.ts';
import { ruleResource } from '../notify/rule.resource.ts';
import { transportResource } from '../notify/transport.resource.ts';
import { bindingResource } from '../policy/binding.resource.ts';
import { createPolicyEngine } from '../policy/engine.ts';
import type { PolicyKind } from '../policy/kind.ts';
import { policiesResource } from '../policy/policies.resource.ts';
import type { Endpoint } from '../resource/endpoint.ts';
import type { Resource } from '../resource/resource.ts';
import type { World } from './world.ts';

/** Everything there is, in one list. A new kind is a folder of its own and a line here. */
export function catalogue(world: World): Resource[] {
  const kinds = policyKinds(world);
  const policies = createPolicyEngine(kinds);
  const openFetch = openFetchWithin(world.config.outboundAllow);
  return [
    // Directory and access
    userResource(world),
    groupResource,
    roleResource,
    // Policies
    policiesResource(policies),
    ...kinds.map(({ resource }) => resource),
    bindingResource,
    reputationScores,
    // Property mappings
    mappingsResource(world),
    notificationMapping(world),
    // Certificates
    certificateResource(),
    // Service connections of outposts
    connectionsResource({
      [containerConnection.model]: askContainer(openFetch),
      [clusterConnection.model]: askCluster(openFetch),
    }),
    containerConnection,
    clusterConnection,
    // Notifications
    ruleResource,
    transportResource,
  ];
}

/** What can decide about access. */
function policyKinds(world: World): PolicyKind[] {
  return [passwordExpiry, reputation, geoIp(world), expressions(world)];
}

/** Operations that stand for no rows. */
export function endpoints(_world: World): Endpoint[] {
  return [countriesEndpoint];
}
