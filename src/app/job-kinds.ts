import { orphanedGrants } from '../core/access/orphaned-grants.ts';
import { cleanupJobs, expired, expiredUnlessEndless } from '../core/cleanup/cleanup.jobs.ts';
import type { Outdated } from '../core/cleanup/delete-in-batches.ts';
import { pendingListsJob } from '../core/cleanup/pending-lists.job.ts';
import { deletedUsersJob } from '../core/event/deleted-users.ts';
import { rollupJobs } from '../core/event/rollup.jobs.ts';
import { connectionStatesJob } from '../core/outpost/connection-states.ts';
import { deliverJob } from '../notify/deliver.job.ts';
import { matchJob } from '../notify/match.job.ts';
import { notificationCleanupJob } from '../notify/notification-cleanup.job.ts';
import { queueDeliveriesJob } from '../notify/queue-deliveries.job.ts';
import type { JobKind, Jobs } from '../platform/jobs/job.ts';
import { deploymentJobs } from '../provider/outpost/deployment/deployment.jobs.ts';
import { queueDeploymentsBy } from '../provider/outpost/deployment/deployments.ts';
import { syncJobs } from '../provider/sync/sync.jobs.ts';
import type { ResourceWorld } from '../resource/call.ts';
import type { Engine } from '../resource/resource.ts';
import type { Kinds } from './kinds.ts';
import { systemCall } from './system-call.ts';
import type { World } from './world.ts';

/** All kinds of background jobs. */
export function jobKinds(world: World, needs: JobKindsNeeds): JobKind[] {
  const { db, clock } = world;
  const { resourceWorld, worldWithoutNotifications, kinds, jobs, engine } = needs;
  const { policies, transports } = kinds;
  const callWithoutNotifications = () => systemCall(db, worldWithoutNotifications, clock.now());
  const ownCall = () => systemCall(db, resourceWorld, clock.now());
  const expiring = [...ownExpiring, ...kinds.all.flatMap((kind) => kind.expiring ?? [])];
  const server = { db, engine, jobs, systemCall: ownCall };
  return [
    matchJob({ policies, transports, jobs, callWithoutNotifications }),
    queueDeliveriesJob(db, { transports, jobs }),
    deliverJob({ transports, callWithoutNotifications }),
    notificationCleanupJob(ownCall),
    ...cleanupJobs({
      ...world,
      ...{ expiring, systemCall: ownCall },
      orphaned: () => orphanedGrants(db, engine().registry),
    }),
    deletedUsersJob(db),
    ...rollupJobs({ db, clock }),
    ...(db.emptyPendingLists ? [pendingListsJob(db.emptyPendingLists)] : []),
    ...syncJobs(
      server,
      kinds.providerKinds.flatMap(({ sync }) => sync ?? []),
    ),
    ...deploymentJobs({ ...world, ...kinds, ...world.config, server }),
    connectionStatesJob({
      server,
      kinds: kinds.connectionKinds,
      onRecovered: (tx, connection) => queueDeploymentsBy(jobs(), tx, connection),
    }),
    ...kinds.all.flatMap((kind) => kind.jobs?.(server) ?? []),
  ];
}

interface JobKindsNeeds {
  readonly resourceWorld: ResourceWorld;
  /** A system call whose events match no rule. */
  readonly worldWithoutNotifications: ResourceWorld;
  readonly kinds: Kinds;
  /** The queue of these kinds. */
  jobs(): Jobs;
  engine(): Engine;
}

export const ownExpiring: readonly Outdated[] = [
  expired('authenticated_sessions', 'sessions'),
  expiredUnlessEndless('user_consents', 'consents'),
  expired('flow_plans', 'flow plans'),
  expired('flow_links', 'links into flows'),
  expired('shared_counts', 'counts for limits'),
  expired('source_visits', 'visits to sources'),
  expired('authorization_requests', 'decided requests of applications'),
  expired('sign_in_attempts', 'counts of attempts to sign in'),
  expired('events', 'events'),
  expired('outpost_instances', 'outposts that do not report any more'),
];
