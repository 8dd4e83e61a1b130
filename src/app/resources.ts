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
import type { OnEventRecorded } from '../core/event/record.ts';
import { bulkEndpoint } from '../core/interface/bulk.endpoint.ts';
import { interfaceEndpoint } from '../core/interface/interface.endpoint.ts';
import { createNameReaders } from '../core/interface/named-objects.ts';
import { objectsEndpoint } from '../core/interface/objects.endpoint.ts';
import { pageEndpoint } from '../core/interface/page.endpoint.ts';
import { savedViewEndpoints } from '../core/interface/saved-views.endpoints.ts';
import { certificateResource } from '../core/key/certificate.resource.ts';
import { mappingsResource } from '../core/mapping/mappings.resource.ts';
import { connectionsResource } from '../core/outpost/service-connection.family.ts';
import { sessionResource } from '../core/session/session.resource.ts';
import { serverSettingsEndpoints } from '../core/settings/server-settings.endpoints.ts';
import { settingsEndpoints } from '../core/settings/settings.endpoints.ts';
import { systemOperations } from '../core/system/system-operations.ts';
import { systemTaskResource } from '../core/system/system-task.resource.ts';
import { tokenResource } from '../core/token/token.resource.ts';
import { viewKeyEndpoint } from '../core/token/token-key.endpoints.ts';
import { currentBrandAction } from '../flow/current-brand.ts';
import { allDevices } from '../flow/devices/all-devices.endpoints.ts';
import { resetDevicesAction } from '../flow/devices/reset-devices.ts';
import { secondFactorFilter } from '../flow/devices/second-factor-filter.ts';
import { inspectorEndpoint } from '../flow/executor/inspector.endpoint.ts';
import { explainEndpoint } from '../flow/explain.endpoint.ts';
import { flowResource } from '../flow/flow.resource.ts';
import { recoveryAction } from '../flow/links/recovery.ts';
import { changeEverywhere } from '../flow/passwords/password-backend.ts';
import { stageBindingResource } from '../flow/stage-binding.resource.ts';
import { stagesResource } from '../flow/stages.resource.ts';
import { notificationResource } from '../notify/notification.resource.ts';
import { ruleResource } from '../notify/rule.resource.ts';
import { ruleFromEvent } from '../notify/rule-from-event.endpoint.ts';
import { transportResource } from '../notify/transport.resource.ts';
import type { Jobs } from '../platform/jobs/job.ts';
import { bindingResource } from '../policy/binding.resource.ts';
import { policiesResource } from '../policy/policies.resource.ts';
import { checkAccessEndpoint, createEvaluateAccess, refusedApplications } from '../provider/application-access.ts';
import { outpostResource } from '../provider/outpost/outpost.resource.ts';
import { flowFilter, providersResource, suggestedLaunchUrl } from '../provider/provider.family.ts';
import type { Endpoint } from '../resource/endpoint.ts';
import type { Resource } from '../resource/resource.ts';
import { sourcesResource } from '../source/sources.resource.ts';
import { userConnectionsResource } from '../source/user-connection.family.ts';
import type { Kinds } from './kinds.ts';
import type { OpenApiDocuments } from './openapi-routes.ts';
import { releaseEndpoint } from './outgoing-hold.ts';
import { backupEndpoint } from './overview/backup.endpoint.ts';
import { maintenanceEndpoint } from './overview/maintenance.endpoint.ts';
import { overviewEndpoints } from './overview/overview.endpoint.ts';
import { testMailEndpoint } from './overview/test-mail.endpoint.ts';
import { readyMadeEndpoints } from './ready-made/ready-made.endpoints.ts';
import { secondFactorEndpoints } from './ready-made/second-factor.endpoints.ts';
import { version } from './version.ts';
import type { World } from './world.ts';

/** Job queue and event announcements, for resources that act on them. */
interface Acting {
  readonly jobs: Jobs;
  readonly onRecorded: OnEventRecorded;
}

/** All resources: those of the engines and those of kinds. */
export function allResources(world: World & Acting, kinds: Kinds): Resource[] {
  const { policies, flows } = kinds;
  const recovery = recoveryAction({ ...world, policies });
  const userActions = [recovery, resetDevicesAction, ...kinds.stageKinds.flatMap((kind) => kind.userActions ?? [])];
  const all: Resource[] = [
    // Directory and access
    userResource({
      ...world,
      userActions,
      userFilters: { has_second_factor: secondFactorFilter },
      changeAtSource: (user, password, call) => changeEverywhere(kinds.passwordBackends, user, password, call),
    }),
    groupResource,
    roleResource,
    permissionResource,
    userObjectPermissions(() => all),
    roleObjectPermissions(() => all),
    tokenResource(world),
    sessionResource(world),
    // Policies
    policiesResource(policies),
    ...ownOf(kinds.policyKinds),
    bindingResource(() => all),
    // Property mappings
    mappingsResource(world),
    ...ownOf(kinds.mappingKinds),
    // Applications and providers
    applicationResource({
      refusedApplications: refusedApplications(createEvaluateAccess(policies)),
      suggestedLaunchUrl,
      providerFilters: Object.assign(
        { flow: flowFilter },
        ...kinds.providerKinds.map(({ applicationFilters }) => applicationFilters),
      ),
      publicUrl: world.config.publicUrl,
    }),
    consentResource,
    providersResource,
    ...ownOf(kinds.providerKinds),
    // Certificates
    certificateResource(),
    // Outposts and their service connections
    outpostResource({ ...world, publicUrl: world.config.publicUrl, version, kinds: kinds.providerKinds }),
    connectionsResource(kinds.connectionKinds),
    ...ownOf(kinds.connectionKinds),
    // Flows and stages
    flowResource({ ...world, policies, flows, stageKinds: kinds.stageKinds }),
    stageBindingResource,
    stagesResource(policies),
    ...ownOf(kinds.stageKinds),
    ...kinds.deviceKinds.flatMap(({ deviceResources: { own, admin } }) => [own, admin]),
    brandResource({ currentBrand: currentBrandAction(world.settings) }),
    // Sources
    sourcesResource({ policies, kinds: kinds.sourceKinds }),
    ...ownOf(kinds.sourceKinds),
    userConnectionsResource,
    // Events and notifications
    eventResource(world),
    ruleResource,
    transportResource(kinds.transports, world.log),
    notificationResource,
    systemTaskResource(world.jobs),
    ...kinds.all.flatMap((kind) => kind.resources ?? []),
  ];
  return all;
}

const ownOf = (kinds: readonly { readonly resource: Resource }[]): Resource[] => kinds.map(({ resource }) => resource);

/** Operations without rows. */
interface Serving extends World, Pick<Acting, 'jobs'> {
  readonly documents: OpenApiDocuments;
}

export function allEndpoints(world: Serving, kinds: Kinds): Endpoint[] {
  const readers = createNameReaders();
  return [
    ...assignmentEndpoints,
    viewKeyEndpoint(world.key),
    checkAccessEndpoint(createEvaluateAccess(kinds.policies)),
    ...settingsEndpoints(world.settings),
    ...serverSettingsEndpoints(world),
    ...allDevices,
    transactionalApplications(kinds.providerKinds),
    ruleFromEvent,
    ...systemOperations({ ...world, version }),
    interfaceEndpoint(version),
    ...savedViewEndpoints,
    objectsEndpoint(readers),
    pageEndpoint({ ...readers, document: world.documents.under, endpoints: allDevices }),
    bulkEndpoint(),
    ...overviewEndpoints(world),
    releaseEndpoint(() => world.jobs),
    maintenanceEndpoint(world),
    testMailEndpoint(world),
    backupEndpoint(world),
    ...readyMadeEndpoints(world),
    ...secondFactorEndpoints(world),
    explainEndpoint(kinds.policies),
    inspectorEndpoint({ ...world, flows: kinds.flows }),
    ...kinds.all.flatMap((kind) => kind.endpoints ?? []),
  ];
}
