import { createAuthenticate } from '../core/access/authenticate.ts';
import { deleteGrantsOn } from '../core/access/orphaned-grants.ts';
import { brandFacts } from '../core/brand/brand-of-host.ts';
import { createRecord } from '../core/event/record.ts';
import { mountMedia } from '../core/media/serve-media.ts';
import { cookieNames } from '../core/session/session-cookies.ts';
import type { SessionNeeds } from '../core/session/session-credential.ts';
import { executorOperations } from '../flow/executor/executor.operations.ts';
import { createExecutor } from '../flow/executor/executor.ts';
import type { Listener, RouteServer } from '../flow/protocol-kind.ts';
import {
  accessTokensBy,
  appendBy,
  bearerBy,
  chainLogoutRedirects,
  hostedBy,
  keySetsBy,
  recordingFor,
} from '../flow/protocol-kinds.ts';
import { matchingEvents } from '../notify/match.job.ts';
import { createServer, type HttpServer } from '../platform/http/server.ts';
import { createJobWorker, type JobWorker } from '../platform/jobs/worker.ts';
import { createAnonymousQuota } from '../platform/limits/anonymous-quota.ts';
import { createMetrics } from '../platform/metrics.ts';
import { storeTarget } from '../policy/target.ts';
import { createEvaluateAccess } from '../provider/application-access.ts';
import { requestAccessRoute } from '../provider/authorize/request-access.ts';
import { checkDeploymentsAfterEvent } from '../provider/outpost/deployment/after-event.ts';
import { mountOutposts } from '../provider/outpost/outpost-routes.ts';
import { createAnonymousLimit } from '../resource/access/anonymous-limit.ts';
import type { ResourceWorld } from '../resource/call.ts';
import { openApiDocument } from '../resource/document/openapi.ts';
import type { Operation } from '../resource/document/operation.ts';
import { operationsOf } from '../resource/document/operations.ts';
import { type Endpoint, endpointOperation } from '../resource/endpoint.ts';
import { mountApi } from '../resource/http.ts';
import { createEngine } from '../resource/read/read.ts';
import { createRegistry } from '../resource/registry.ts';
import type { Engine } from '../resource/resource.ts';
import { anonymousLimitsOf } from './anonymous-limits.ts';
import { catalogue } from './catalogue.ts';
import { watchDatabase } from './database-metrics.ts';
import { mountDefaultFlows } from './default-flows.ts';
import { mountFirstLoginLink } from './first-login-link.ts';
import { defaultRedirect, mountCancel } from './flow-redirects.ts';
import { mountHealth } from './health.ts';
import { jobKinds } from './job-kinds.ts';
import { createKinds, type Kinds } from './kinds.ts';
import { mountMetrics } from './metrics-route.ts';
import { createDocuments, schemaOperation } from './openapi-routes.ts';
import { findOutgoingHold } from './outgoing-hold.ts';
import { createErrorPage } from './pages/error-page.ts';
import { signInPath } from './pages/flow-pages.ts';
import { mountPages } from './pages/mount-pages.ts';
import { allEndpoints, allResources } from './resources.ts';
import { createSandboxBudgetEvents } from './sandbox-budget-events.ts';
import { mountApiBrowser, mountBrandStyles, mountStaticFiles } from './static-files.ts';
import { systemCall } from './system-call.ts';
import { mountUnavailablePaths } from './unavailable-paths.ts';
import { uncachedTablesOf } from './uncached-tables.ts';
import { version } from './version.ts';
import type { World } from './world.ts';

export const apiPrefix = '/api/v3';
const anonymousPerMinute = 1_000;
/** All operations are one route: they have a metric of their own. */
const routeLabel = (route: string | null): string => {
  if (route === null) return 'none';
  return route.startsWith(`${apiPrefix}/`) ? `${apiPrefix}/*` : route;
};

export interface App {
  readonly server: HttpServer;
  readonly engine: Engine;
  /** Servers of other protocols. */
  readonly listeners: readonly Listener[];
  readonly operations: readonly Operation[];
  readonly endpoints: readonly Endpoint[];
  readonly resourceWorld: ResourceWorld;
  readonly kinds: Kinds;
  /** Runs queued jobs once it is started; jobs can be queued before. */
  readonly jobs: JobWorker;
}

/** Builds the server from its open resources and the listed kinds. The composition root. */
export async function composeApp(world: World, lists = catalogue): Promise<App> {
  const { sandbox, db, key, clock, config, log, geo, settings } = world;
  const kinds = createKinds(world, lists, () => jobs);
  await db.stampTables?.(uncachedTablesOf(kinds));
  const onRecorded = matchingEvents({ policies: kinds.policies, jobs: () => jobs });
  const recording = { geo, settings: settings.current, brandOf: (host: string) => brandFacts(db, host) };
  const anonymousQuota = createAnonymousQuota(db, anonymousLimitsOf(kinds.all));
  const publicHost = new URL(config.publicUrl).hostname;
  const shared = {
    ...key.box,
    publicHost,
    storeTarget,
    deleteGrantsOn,
    tryReserve: anonymousQuota.tryReserve,
    evictOldest: anonymousQuota.evictOldest,
    raiseBudget: sandbox.budgets.raise,
  };
  const resourceWorld: ResourceWorld = {
    ...shared,
    record: recordingFor(
      [...kinds.protocolKinds, { afterEvent: checkDeploymentsAfterEvent({ ...kinds, jobs: () => jobs }) }],
      createRecord({ ...recording, onRecorded }),
    ),
  };
  const worldWithoutNotifications: ResourceWorld = { ...shared, record: createRecord(recording) };
  const metrics = createMetrics(version);
  const jobs: JobWorker = createJobWorker({
    db,
    clock,
    log,
    kinds: jobKinds(world, { resourceWorld, worldWithoutNotifications, kinds, jobs: () => jobs, engine: () => engine }),
    isHeldBack: async (tx) => (await findOutgoingHold(tx)) !== null,
    observe: metrics.countJob,
  });
  const registry = createRegistry(allResources({ ...world, jobs, onRecorded }, kinds));
  const engine = createEngine(registry);
  metrics.watchAnonymousRows(anonymousQuota);
  watchDatabase(metrics, db, clock);
  const isSecure = config.publicUrl.startsWith('https:');
  const sessionCookie = cookieNames(isSecure).session;
  const sessions: SessionNeeds = {
    ...{ db, key, isSecure, geo, settings },
    record: (tx, { actor, request, now }, event) =>
      resourceWorld.record(tx, { ...systemCall(db, resourceWorld, now), actor, request }, event),
  };
  const findLogoutRedirect = chainLogoutRedirects(kinds.protocolKinds);
  const executor = createExecutor({
    engine,
    key,
    policies: kinds.policies,
    kinds: kinds.stageKinds,
    append: appendBy(kinds.protocolKinds, registry),
    defaultRedirect,
    findLogoutRedirect,
    log,
  });
  const documents = createDocuments(() =>
    openApiDocument(operations, registry, { version, prefix: apiPrefix, sessionCookie }),
  );
  const endpoints = allEndpoints({ ...world, jobs, documents }, kinds);
  const operations: Operation[] = [
    ...registry.resources.flatMap((resource) => operationsOf(resource, engine)),
    ...endpoints.map((endpoint) => endpointOperation(endpoint, engine)),
    ...executorOperations({
      key,
      policies: kinds.policies,
      executor,
      flows: kinds.flows,
      publicUrl: config.publicUrl,
      kinds: kinds.stageKinds,
    }),
    schemaOperation(documents),
  ];
  db.onStatement(metrics.countStatement);
  const reportSpentBudget = createSandboxBudgetEvents(() => systemCall(db, resourceWorld, clock.now()), log);
  const server = createServer({
    log,
    trustedProxies: config.trustedProxies,
    around: (work, facts) =>
      sandbox.budgets.share(
        () => db.scope(work),
        () => reportSpentBudget(facts),
      ),
    observe: ({ route, ...observed }) => metrics.observeRequest({ route: routeLabel(route), ...observed }),
    hosted: hostedBy(kinds.protocolKinds, () => routeServer),
    errorPage: createErrorPage({ ...sessions, clock, publicUrl: config.publicUrl }, apiPrefix),
  });
  const { routes } = server;
  const anonymous = createAnonymousLimit(db, anonymousPerMinute);
  mountApi(routes, operations, {
    db,
    world: resourceWorld,
    prefix: apiPrefix,
    now: clock.now,
    authenticate: createAuthenticate({
      ...sessions,
      key,
      publicHost,
      otherBearer: bearerBy(kinds.protocolKinds),
    }),
    observe: ({ id }, status, milliseconds) => metrics.observeOperation(id, status, milliseconds),
    anonymous,
  });
  mountUnavailablePaths(routes, apiPrefix, registry);
  mountCancel(routes, { db, key, publicUrl: config.publicUrl });
  mountFirstLoginLink(routes, { db, key, clock, isSecure, world: resourceWorld });
  const routeServer: RouteServer = {
    ...{ db, clock, world: resourceWorld, engine, sessions, executor, signInPath, anonymous, metrics },
    ...{ policies: kinds.policies, flows: kinds.flows, evaluateAccess: createEvaluateAccess(kinds.policies) },
    findLogoutRedirect,
    keySets: keySetsBy(kinds.protocolKinds),
    accessTokens: accessTokensBy(kinds.protocolKinds, registry),
  };
  mountDefaultFlows(routes, routeServer);
  const accessRequests = requestAccessRoute({ ...routeServer, key });
  routes.on(accessRequests.methods, accessRequests.path, accessRequests.handle);
  for (const kind of kinds.protocolKinds) {
    for (const { methods, path, handle } of kind.routes?.(routeServer) ?? []) routes.on(methods, path, handle);
  }
  const listeners = kinds.protocolKinds.flatMap((kind) => kind.listeners?.(routeServer) ?? []);
  mountOutposts(routes, { ...routeServer, key, log, providerKinds: kinds.providerKinds });
  mountHealth({ server, db, log, metrics });
  mountMetrics(routes, metrics, config.metricsToken);
  mountMedia(routes, db);
  mountStaticFiles(routes);
  mountBrandStyles(routes);
  mountApiBrowser(routes, apiPrefix);
  mountPages(routes, { ...sessions, clock, log, kinds, publicUrl: config.publicUrl });
  return { server, listeners, engine, operations, endpoints, resourceWorld, kinds, jobs };
}
