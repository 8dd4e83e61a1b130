import { cleanupJobs, expired, expiredUnlessEndless } from '../core/cleanup/cleanup.jobs.ts';
import type { Outdated } from '../core/cleanup/delete-in-batches.ts';
import type { JobKind } from '../platform/jobs/job.ts';
import type { ResourceWorld } from '../resource/call.ts';
import { systemCall } from './system-call.ts';
import type { World } from './world.ts';

/** All work that is done beside requests. */
export function jobKinds(world: World, resourceWorld: ResourceWorld): JobKind[] {
  const { db, clock } = world;
  return cleanupJobs({ ...world, expiring, systemCall: () => systemCall(db, resourceWorld, clock.now()) });
}

const expiring: readonly Outdated[] = [
  expired('authenticated_sessions', 'sessions'),
  expired('invitations', 'invitations'),
  expiredUnlessEndless('user_consents', 'consents'),
  expiredUnlessEndless('oauth2_access_tokens', 'access tokens'),
  expiredUnlessEndless('oauth2_refresh_tokens', 'refresh tokens'),
  expiredUnlessEndless('oauth2_authorization_codes', 'authorization codes'),
  expired('policy_reputation_scores', 'reputation scores'),
  expired('flow_plans', 'flow plans'),
  expired('sign_in_attempts', 'counts of attempts to sign in'),
  expired('events', 'events'),
];
