import { assignmentEndpoints } from '../core/access/assignment.endpoints.ts';
import { roleObjectPermissions, userObjectPermissions } from '../core/access/object-permission.resource.ts';
import { permissionResource } from '../core/access/permission.resource.ts';
import { roleResource } from '../core/access/role.resource.ts';
import { applicationResource } from '../core/application/application.resource.ts';
import { transactionalApplications } from '../core/application/transactional.endpoint.ts';
import { brandResource } from '../core/brand/brand.resource.ts';
import { consentResource } from '../core/consent/consent.resource.ts';
import { groupResource } from '../core/directory/group.resource.ts';
import { userResource } from '../core/directory/user.resource.ts';
import { eventResource } from '../core/event/event.resource.ts';
import type { Announce } from '../core/event/record.ts';
import { certificateResource } from '../core/key/certificate.resource.ts';
import { mappingsResource } from '../core/mapping/mappings.resource.ts';
import { openFetchWithin } from '../core/outpost/ask-version.ts';
import { connectionsResource } from '../core/outpost/service-connection.family.ts';
import { sessionResource } from '../core/session/session.resource.ts';
import { settingsEndpoints } from '../core/settings/settings.endpoints.ts';
import { systemOperations } from '../core/system/system-operations.ts';
import { systemTaskResource } from '../core/system/system-task.resource.ts';
import { tokenResource } from '../core/token/token.resource.ts';
import { viewKeyEndpoint } from '../core/token/token-key.endpoints.ts';
import { allDevices } from '../flow/devices/all-devices.endpoints.ts';
import type { DeviceKind } from '../flow/devices/device-kind.ts';
import { createFlowReads, type FlowReads } from '../flow/executor/flow-reads.ts';
import type { StageKind } from '../flow/executor/stage-kind.ts';
import { flowResource } from '../flow/flow.resource.ts';
import { recoveryAction } from '../flow/links/recovery.ts';
import { stageBindingResource } from '../flow/stage-binding.resource.ts';
import { stagesResource } from '../flow/stages.resource.ts';
import { clusterConnection } from '../kinds/connections/cluster/cluster.resource.ts';
import { askCluster } from '../kinds/connections/cluster/cluster-state.ts';
import { containerConnection } from '../kinds/connections/container/container.resource.ts';
import { askContainer } from '../kinds/connections/container/container-state.ts';
import { notificationMapping } from '../kinds/mappings/notification/notification.resource.ts';
import { scopeMapping } from '../kinds/mappings/scope/scope.resource.ts';
import { mediasrcSourceMapping } from '../kinds/mappings/source-mediasrc/source-mediasrc.resource.ts';
import { oauthSourceMapping } from '../kinds/mappings/source-oauth/source-oauth.resource.ts';
import { samlSourceMapping } from '../kinds/mappings/source-saml/source-saml.resource.ts';
import { scimSourceMapping } from '../kinds/mappings/source-scim/source-scim.resource.ts';
import { workspaceDirectoryMapping } from '../kinds/mappings/workspace-directory/workspace-directory.resource.ts';
import { dummyPolicies } from '../kinds/policies/dummy/dummy.ts';
import { eventMatcher } from '../kinds/policies/event-matcher/event-matcher.ts';
import { expressions } from '../kinds/policies/expression/expression.ts';
import { countriesEndpoint } from '../kinds/policies/geoip/geoip.resource.ts';
import { geoIp } from '../kinds/policies/geoip/geoip.ts';
import { passwords } from '../kinds/policies/password/password.ts';
import { passwordExpiry } from '../kinds/policies/password-expiry/password-expiry.ts';
import { reputation } from '../kinds/policies/reputation/reputation.ts';
import { reputationScores } from '../kinds/policies/reputation/score.resource.ts';
import { accessTokens, authorizationCodes, refreshTokens } from '../kinds/providers/oauth2/grant.resource.ts';
import { oauth2Provider } from '../kinds/providers/oauth2/oauth2.resource.ts';
import {
  workspaceDirectoryGroups,
  workspaceDirectoryUsers,
} from '../kinds/providers/workspace-directory/links.resource.ts';
import { workspaceDirectoryProvider } from '../kinds/providers/workspace-directory/workspace-directory.resource.ts';
import { mediasrcLink, mediasrcSource } from '../kinds/sources/mediasrc/mediasrc.resource.ts';
import {
  groupMediasrcConnection,
  userMediasrcConnection,
} from '../kinds/sources/mediasrc/mediasrc-connections.resource.ts';
import { oauthSource } from '../kinds/sources/oauth/oauth.resource.ts';
import { groupOAuthConnection, userOAuthConnection } from '../kinds/sources/oauth/oauth-connections.resource.ts';
import { samlSource } from '../kinds/sources/saml/saml.resource.ts';
import { groupSamlConnection, userSamlConnection } from '../kinds/sources/saml/saml-connections.resource.ts';
import { scimSource } from '../kinds/sources/scim/scim.resource.ts';
import { scimGroupResource, scimUserResource } from '../kinds/sources/scim/scim-records.resource.ts';
import { enrolmentStatus } from '../kinds/stages/authenticator-twofactor/enrolment-status.endpoint.ts';
import { deviceTypeResource } from '../kinds/stages/authenticator-webauthn/device-type.resource.ts';
import { recoveryEmailAction } from '../kinds/stages/email/recovery-email.ts';
import { invitationResource } from '../kinds/stages/invitation/invitation.resource.ts';
import { promptResource } from '../kinds/stages/prompt/prompt.resource.ts';
import { emailTransport } from '../kinds/transports/email/email.ts';
import { localTransport } from '../kinds/transports/local/local.ts';
import { slackTransport } from '../kinds/transports/slack/slack.ts';
import { webhookTransport } from '../kinds/transports/webhook/webhook.ts';
import { notificationResource } from '../notify/notification.resource.ts';
import { ruleResource } from '../notify/rule.resource.ts';
import { transportResource } from '../notify/transport.resource.ts';
import type { TransportKind } from '../notify/transport-kind.ts';
import type { Jobs } from '../platform/jobs/job.ts';
import { bindingResource } from '../policy/binding.resource.ts';
import { createPolicyEngine, type PolicyEngine } from '../policy/engine.ts';
import type { PolicyKind } from '../policy/kind.ts';
import { policiesResource } from '../policy/policies.resource.ts';
import { askApplicationAccess, checkAccessAction } from '../provider/application-access.ts';
import { providersResource } from '../provider/provider.family.ts';
import type { Action } from '../resource/define.ts';
import type { Endpoint } from '../resource/endpoint.ts';
import type { Resource } from '../resource/resource.ts';
import { sourcesResource } from '../source/sources.resource.ts';
import { userConnectionsResource } from '../source/user-connection.family.ts';
import { allDeviceKinds, allStageKinds, twofactor } from './stage-kinds.ts';
import { version } from './version.ts';
import type { World } from './world.ts';

/** What decides, and what acts in flows: made once, for the list and for the engines. */
export interface Kinds {
  readonly policyKinds: readonly PolicyKind[];
  readonly policies: PolicyEngine;
  readonly flows: FlowReads;
  readonly deviceKinds: readonly DeviceKind[];
  readonly stageKinds: readonly StageKind[];
  readonly transports: readonly TransportKind[];
}

export function createKinds(world: World, jobs: () => Jobs): Kinds {
  const policyKinds = allPolicyKinds(world);
  const policies = createPolicyEngine(policyKinds);
  const deviceKinds = allDeviceKinds(world);
  return {
    policyKinds,
    flows: createFlowReads(),
    policies,
    deviceKinds,
    stageKinds: allStageKinds({ ...world, jobs }, policies, deviceKinds),
    transports: transportKinds(world),
  };
}

/** What acts by itself, and how it hears of events. */
interface Acting {
  readonly jobs: Jobs;
  readonly announce: Announce;
}

/** Everything there is, in one list. A new kind is a folder of its own and a line here. */
export function catalogue(
  world: World & Acting,
  { policyKinds, policies, flows, deviceKinds, stageKinds, transports }: Kinds,
): Resource[] {
  const askAccess = askApplicationAccess(policies);
  const openFetch = openFetchWithin(world.config.outboundAllow);
  const all: Resource[] = [
    // Directory and access
    userResource({ ...world, userActions: recoveryActions(world, policies) }),
    groupResource,
    roleResource,
    permissionResource,
    userObjectPermissions(() => all),
    roleObjectPermissions(() => all),
    tokenResource(world),
    sessionResource(world),
    // Policies
    policiesResource(policies),
    ...policyKinds.map(({ resource }) => resource),
    bindingResource,
    reputationScores,
    // Property mappings
    mappingsResource(world),
    notificationMapping(world),
    scopeMapping(world),
    workspaceDirectoryMapping(world),
    // Applications and providers
    applicationResource({ askAccess, checkAccess: checkAccessAction(askAccess) }),
    consentResource,
    providersResource,
    ...providerKinds(world),
    accessTokens,
    refreshTokens,
    authorizationCodes,
    workspaceDirectoryUsers,
    workspaceDirectoryGroups,
    // Certificates
    certificateResource(),
    // Service connections of outposts
    connectionsResource({
      [containerConnection.model]: askContainer(openFetch),
      [clusterConnection.model]: askCluster(openFetch),
    }),
    containerConnection,
    clusterConnection,
    // Flows and stages
    flowResource({ ...world, policies, flows }),
    stageBindingResource,
    stagesResource(policies),
    deviceTypeResource,
    ...stageKinds.map(({ resource }) => resource),
    ...deviceKinds.flatMap(({ doors }) => [doors.own, doors.admin]),
    promptResource(world),
    invitationResource(world),
    brandResource(world),
    ...sources(world, policies),
    // Events and notifications
    eventResource(world),
    ruleResource,
    transportResource(transports),
    notificationResource,
    systemTaskResource(world.jobs),
  ];
  return all;
}

/** How people who have lost their way in are let in again. */
function recoveryActions(world: World & Acting, policies: PolicyEngine): Action[] {
  const needs = { ...world, policies, jobs: () => world.jobs };
  return [recoveryAction(needs), recoveryEmailAction(needs)];
}

/** Where people come from, who is linked to what there, and how what is said of them is read. */
function sources(world: World, policies: PolicyEngine): Resource[] {
  const mediasrc = mediasrcSource({ ...world, policies });
  return [
    sourcesResource({ policies, linkable: [mediasrcLink(mediasrc)] }),
    mediasrc,
    oauthSource(world),
    samlSource(world),
    scimSource(world),
    scimUserResource,
    scimGroupResource,
    userConnectionsResource,
    userMediasrcConnection,
    userOAuthConnection,
    userSamlConnection,
    groupMediasrcConnection,
    groupOAuthConnection,
    groupSamlConnection,
    mediasrcSourceMapping(world),
    oauthSourceMapping(world),
    samlSourceMapping(world),
    scimSourceMapping(world),
  ];
}

/** What can decide about access. */
function allPolicyKinds(world: World): PolicyKind[] {
  return [passwordExpiry, reputation, geoIp(world), expressions(world), eventMatcher, passwords(world), dummyPolicies];
}

/** How people are told of events. */
function transportKinds(world: World): TransportKind[] {
  return [localTransport, webhookTransport(world), slackTransport(world), emailTransport(world)];
}

/** What applications are reached through. */
function providerKinds(world: World): Resource[] {
  return [oauth2Provider(world), workspaceDirectoryProvider];
}

/** Operations that stand for no rows. */
export function endpoints(world: World): Endpoint[] {
  return [
    ...assignmentEndpoints,
    viewKeyEndpoint(world.key),
    ...settingsEndpoints(world.settings),
    countriesEndpoint,
    enrolmentStatus(twofactor(world)),
    ...allDevices,
    transactionalApplications(providerKinds(world)),
    ...systemOperations({ ...world, version }),
  ];
}
