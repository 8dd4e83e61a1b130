import { roleResource } from '../core/access/role.resource.ts';
import { groupResource } from '../core/directory/group.resource.ts';
import { userResource } from '../core/directory/user.resource.ts';
import { certificateResource } from '../core/key/certificate.resource.ts';
import { mappingsResource } from '../core/mapping/mappings.resource.ts';
import { notificationMapping } from '../kinds/mappings/notification/notification.resource.ts';
import { passwordExpiryPolicy } from '../kinds/policies/password-expiry/password-expiry.resource.ts';
import { ruleResource } from '../notify/rule.resource.ts';
import { transportResource } from '../notify/transport.resource.ts';
import { policiesResource } from '../policy/policies.resource.ts';
import type { Endpoint } from '../resource/endpoint.ts';
import type { Resource } from '../resource/resource.ts';
import type { World } from './world.ts';

/** Everything there is, in one list. A new kind is a folder of its own and a line here. */
export function catalogue(world: World): Resource[] {
  return [
    // Directory and access
    userResource(world),
    groupResource,
    roleResource,
    // Policies
    policiesResource,
    passwordExpiryPolicy,
    // Property mappings
    mappingsResource(world),
    notificationMapping(world),
    // Certificates
    certificateResource(),
    // Notifications
    ruleResource,
    transportResource,
  ];
}

/** Operations that stand for no rows. */
export function endpoints(_world: World): Endpoint[] {
  return [];
}
