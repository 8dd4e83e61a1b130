import { cleanupJobs, expired, expiredOfProviders, expiredUnlessEndless } from '../core/cleanup/cleanup.jobs.ts';
import type { Outdated } from '../core/cleanup/delete-in-batches.ts';
import { searchIndexJob } from '../core/search/fill-search.job.ts';
import { logoutJobs } from '../kinds/providers/oauth2/logout/logout.jobs.ts';
import { mailLinkJob } from '../kinds/stages/email/mail-link.job.ts';
import { parseCidrs } from '../lib/cidr.ts';
import { deliverJob } from '../notify/deliver.job.ts';
import { matchJob } from '../notify/match.job.ts';
import type { TransportKind } from '../notify/transport-kind.ts';
import type { JobKind, Jobs } from '../platform/jobs/job.ts';
import type { PolicyEngine } from '../policy/engine.ts';
import type { ResourceWorld } from '../resource/call.ts';
import type { Engine } from '../resource/read.ts';
import { systemCall } from './system-call.ts';
import type { World } from './world.ts';

/** All work that is done beside requests. */
export function jobKinds(world: World, needs: Needs): JobKind[] {
  const { db, clock } = world;
  const { resourceWorld, quietWorld, policies, transports, jobs, engine } = needs;
  const quietCall = () => systemCall(db, quietWorld, clock.now());
  const ownCall = () => systemCall(db, resourceWorld, clock.now());
  const { publicUrl, outboundAllow } = world.config;
  return [
    matchJob({ policies, transports, jobs, quietCall }),
    deliverJob({ transports, quietCall }),
    mailLinkJob({ ...world, engine, publicUrl, allow: parseCidrs(outboundAllow), systemCall: ownCall }),
    ...logoutJobs({ ...world, publicUrl, jobs, systemCall: ownCall }),
    ...cleanupJobs({ ...world, expiring, systemCall: ownCall }),
    searchIndexJob({ db, registry: () => engine().registry }),
  ];
}

interface Needs {
  readonly resourceWorld: ResourceWorld;
  /** Whose events are matched by no rule. */
  readonly quietWorld: ResourceWorld;
  readonly policies: PolicyEngine;
  readonly transports: readonly TransportKind[];
  /** The queue that these kinds are of. */
  jobs(): Jobs;
  engine(): Engine;
}

const expiring: readonly Outdated[] = [
  expired('authenticated_sessions', 'sessions'),
  expired('invitations', 'invitations'),
  expiredUnlessEndless('user_consents', 'consents'),
  expiredOfProviders('oauth2_access_tokens', 'access tokens'),
  expiredOfProviders('oauth2_refresh_tokens', 'refresh tokens'),
  expiredOfProviders('oauth2_authorization_codes', 'authorization codes'),
  expired('oauth2_requests', 'requests for authorization'),
  expired('oauth2_seen', 'marks of what may be used once'),
  expired('oauth2_published_keys', 'published keys'),
  expired('policy_reputation_scores', 'reputation scores'),
  expired('flow_plans', 'flow plans'),
  expired('flow_links', 'links into flows'),
  expired('sign_in_attempts', 'counts of attempts to sign in'),
  expired('sms_codes', 'codes that were sent to phones'),
  expired('sms_sendings', 'counts of messages'),
  expired('twofactor_enrolments', 'activations of phones'),
  expired('events', 'events'),
];
