import type { JobServer } from '../../../../core/kind/kind.ts';
import type { GuardedFetch } from '../../../../platform/fetch/guarded-fetch.ts';
import type { JobKind, Jobs } from '../../../../platform/jobs/job.ts';
import type { InstanceKey } from '../../../../platform/keys.ts';
import { queueWhenSessionsEnd } from '../../../../provider/ended-sessions.ts';
import { consumeEndedLogins, hasLogins } from '../logins.ts';
import type { KeyOf } from '../signing-key.ts';
import { finishPropagationJob } from './finish-propagation.job.ts';
import { notifyProviderJob, queueProviderNotification } from './notify-provider.job.ts';

interface Dependencies extends Pick<JobServer, 'db' | 'jobs' | 'systemCall'> {
  readonly key: InstanceKey;
  readonly fetch: GuardedFetch;
  readonly keyOf: KeyOf;
}

const findEnded = 'saml_find_ended_sessions';

export const queueLogouts = (jobs: () => Jobs) => queueWhenSessionsEnd(jobs, findEnded, hasLogins);

/** Notifies service providers by back channel that a session has ended, whatever the reason. */
export function logoutJobs(needs: Dependencies): JobKind[] {
  const { db, jobs, systemCall } = needs;
  const find: JobKind = {
    name: findEnded,
    summary: 'Find the SAML service providers of sessions that have ended.',
    oneAtATime: true,
    deleteWhenDone: true,
    everyMs: 5 * 60_000,
    async run() {
      const { now } = systemCall();
      const count = await db.write(async (tx) => {
        const logins = await consumeEndedLogins(tx, now);
        for (const login of logins) await queueProviderNotification(jobs(), tx, login);
        return logins.length;
      });
      return count > 0 ? `Sessions at ${count} service providers are over.` : undefined;
    },
  };
  return [find, notifyProviderJob(needs), finishPropagationJob(needs)];
}
