import { createAuthenticate } from '../core/access/authenticate.ts';
import { brandFacts } from '../core/brand/brand-of-host.ts';
import { createRecord } from '../core/event/record.ts';
import { mountMedia } from '../core/media/serve-media.ts';
import { cookieNames } from '../core/session/session-cookies.ts';
import type { SessionNeeds } from '../core/session/session-credential.ts';
import { executorOperations } from '../flow/executor/executor.operations.ts';
import { createExecutor } from '../flow/executor/executor.ts';
import { inspectorEndpoint } from '../flow/executor/inspector.endpoint.ts';
import { decideOnRequest } from '../kinds/providers/oauth2/authorize/decide-request.ts';
import type { Client } from '../kinds/providers/oauth2/client.ts';
import { detourByFrames } from '../kinds/providers/oauth2/logout/front-channel.ts';
import { tellingOfLogouts } from '../kinds/providers/oauth2/logout/logout.jobs.ts';
import { mountBrowserEndpoints } from '../kinds/providers/oauth2/mount-browser.ts';
import { mountOAuth2 } from '../kinds/providers/oauth2/mount-oauth2.ts';
import { createRemoteKeys } from '../kinds/providers/oauth2/remote-keys.ts';
import { matchingEvents } from '../notify/match.job.ts';
import { createQueryCache } from '../platform/db/query-cache.ts';
import { createServer, type HttpServer } from '../platform/http/server.ts';
import { countJobs } from '../platform/jobs/queue.ts';
import { createJobWorker, type JobWorker } from '../platform/jobs/worker.ts';
import { createMetrics } from '../platform/metrics.ts';
import { actorOfAccessToken } from '../provider/access-token-credential.ts';
import { askApplicationAccess } from '../provider/application-access.ts';
import type { ResourceWorld } from '../resource/call.ts';
import { endpointOperation } from '../resource/endpoint.ts';
import { mountApi } from '../resource/http.ts';
import { openApiDocument } from '../resource/openapi.ts';
import type { Operation } from '../resource/operation.ts';
import { operationsOf } from '../resource/operations.ts';
import { createEngine, type Engine } from '../resource/read.ts';
import { createRegistry } from '../resource/registry.ts';
import { appendSteps } from '../source/append-steps.ts';
import { catalogue, createKinds, endpoints } from './catalogue.ts';
import { homeOf, mountCancel } from './flow-exits.ts';
import { mountHealth } from './health.ts';
import { jobKinds } from './job-kinds.ts';
import { mountMetrics } from './metrics-route.ts';
import { schemaOperation } from './openapi-routes.ts';
import { createErrorPage } from './pages/error-page.ts';
import { signInPath } from './pages/flow-pages.ts';
import { mountPages } from './pages/mount-pages.ts';
import { mountApiBrowser, mountStaticFiles } from './static-files.ts';
import { systemCall } from './system-call.ts';
import { version } from './version.ts';
import type { World } from './world.ts';

export const apiPrefix = '/api/v3';
const anonymousPerMinute = 1_000;
const mostClientsKept = 1_000;

export interface App {
  readonly server: HttpServer;
  readonly engine: Engine;
  readonly operations: readonly Operation[];
  readonly resourceWorld: ResourceWorld;
  /** Does queued work once it is started; work is queued all the same before. */
  readonly jobs: JobWorker;
}

/** Builds the whole server from what is open. The only place where parts meet. */
export async function composeApp(world: World): Promise<App> {
  const { db, key, clock, config, log, geo, settings } = world;
  const kinds = createKinds(world, () => jobs);
  const announce = matchingEvents({ policies: kinds.policies, jobs: () => jobs });
  const recording = { geo, settings: settings.current, brandOf: (host: string) => brandFacts(db, host) };
  const resourceWorld: ResourceWorld = {
    ...key.box,
    record: tellingOfLogouts(createRecord({ ...recording, announce }), () => jobs),
  };
  const quietWorld: ResourceWorld = { ...key.box, record: createRecord(recording) };
  const metrics = createMetrics(version);
  const jobs: JobWorker = createJobWorker({
    db,
    clock,
    log,
    kinds: jobKinds(world, { resourceWorld, quietWorld, ...kinds, jobs: () => jobs, engine: () => engine }),
    observe: metrics.countJob,
  });
  const registry = createRegistry(catalogue({ ...world, jobs, announce }, kinds));
  const engine = createEngine(registry);
  metrics.watchJobs(() => countJobs(db).catch(() => ({})));
  const isSecure = config.publicUrl.startsWith('https:');
  const sessionCookie = cookieNames(isSecure).session;
  const sessions: SessionNeeds = {
    ...{ db, key, isSecure, geo, settings },
    record: (tx, { actor, request, now }, event) =>
      resourceWorld.record(tx, { ...systemCall(db, resourceWorld, now), actor, request }, event),
  };
  const appendSource = appendSteps(registry);
  const decide = decideOnRequest(key);
  const executor = createExecutor({
    engine,
    key,
    policies: kinds.policies,
    kinds: kinds.stageKinds,
    append: (step, ...rest) => ('request' in step ? decide(step, ...rest) : appendSource(step, ...rest)),
    homeOf,
    detourOf: detourByFrames({ key, publicUrl: config.publicUrl }),
    log,
  });
  const operations: Operation[] = [
    ...registry.resources.flatMap((resource) => operationsOf(resource, engine)),
    ...[...endpoints(world), inspectorEndpoint({ ...world, flows: kinds.flows })].map((endpoint) =>
      endpointOperation(endpoint, engine),
    ),
    ...executorOperations({
      key,
      policies: kinds.policies,
      executor,
      flows: kinds.flows,
      publicUrl: config.publicUrl,
      kinds: kinds.stageKinds,
    }),
    schemaOperation(() => openApiDocument(operations, registry, { version, prefix: apiPrefix, sessionCookie })),
  ];
  db.onStatement(metrics.countStatement);
  const server = createServer({
    log,
    trustedProxies: config.trustedProxies,
    errorPage: createErrorPage(db.read, apiPrefix),
  });
  const { routes } = server;
  mountApi(routes, operations, {
    db,
    world: resourceWorld,
    prefix: apiPrefix,
    now: clock.now,
    authenticate: createAuthenticate({
      ...sessions,
      key,
      otherBearer: (credentials, now) => actorOfAccessToken(db, key, credentials, now),
    }),
    observe: ({ id }, status, milliseconds) => metrics.observeOperation(id, status, milliseconds),
    anonymousPerMinute,
  });
  mountCancel(routes, { db, key, publicUrl: config.publicUrl });
  const oauth2 = {
    ...world,
    publicUrl: config.publicUrl,
    policies: kinds.policies,
    world: resourceWorld,
    engine,
    keptClients: createQueryCache<Client | null>(mostClientsKept),
    remoteKeys: createRemoteKeys(world.fetch),
  };
  mountOAuth2(routes, oauth2);
  const askAccess = askApplicationAccess(kinds.policies);
  mountBrowserEndpoints(routes, { ...oauth2, sessions, executor, flows: kinds.flows, askAccess, signInPath });
  mountHealth(routes, db);
  mountMetrics(routes, metrics, config.metricsToken);
  mountMedia(routes, db);
  mountStaticFiles(routes);
  mountApiBrowser(routes, apiPrefix);
  mountPages(routes, { ...sessions, clock, log, mediaApi: config.mediasrcApiUrl });
  return { server, engine, operations, resourceWorld, jobs };
}
