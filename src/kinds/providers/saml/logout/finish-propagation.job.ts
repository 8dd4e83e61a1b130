import type { JobServer } from '../../../../core/kind/kind.ts';
import type { Query } from '../../../../platform/db/database.ts';
import type { JobKind, Jobs } from '../../../../platform/jobs/job.ts';
import type { InstanceKey } from '../../../../platform/keys.ts';
import { createPropagationStore, type LogoutPropagation } from './logout-propagation-store.ts';
import { queueProviderNotification, recordLogoutFailure } from './notify-provider.job.ts';

type Dependencies = Pick<JobServer, 'db' | 'jobs' | 'systemCall'> & { readonly key: InstanceKey };

const finishTour = 'saml_finish_logout';
/** How long a service provider may keep the browser before the others stop waiting for it. */
const patienceMs = 20_000;

/** Where a browser was when the job was queued. */
interface Watched {
  readonly tour: string;
  readonly request: string | null;
}

/** Queues a look at whether the browser has gone on. */
export const scheduleFinishPropagation = (jobs: Jobs, tx: Query, { id, at }: LogoutPropagation): Promise<void> => {
  const payload: Watched = { tour: id, request: at?.request ?? null };
  return jobs.enqueue(tx, { kind: finishTour, payload, delayMs: patienceMs });
};

/**
 * If a service provider does not send the browser back, or the browser was closed, the server notifies those that the
 * browser has not reached. A browser that comes back later is redirected to the end.
 */
export function finishPropagationJob({ db, key, jobs, systemCall }: Dependencies): JobKind<Watched> {
  return {
    name: finishTour,
    summary: 'Notify the SAML service providers that a browser did not reach during logout.',
    deleteWhenDone: true,
    async run({ payload }) {
      const call = systemCall();
      const store = createPropagationStore(key, call.now);
      return db.write(async (tx) => {
        const tour = await store.readPropagation(tx, payload.tour);
        if (!tour || (tour.at?.request ?? null) !== payload.request) return undefined;
        await store.writePropagation(tx, { ...tour, queue: [] });
        for (const login of tour.queue) await queueProviderNotification(jobs(), tx, { ...login, isAbandoned: true });
        if (tour.at) {
          await store.storeFailure(tx, tour);
          await recordLogoutFailure(db, tx, call, tour.at.login, 'it did not send the browser back');
        }
        return `The server notifies ${tour.queue.length} service providers that the browser did not reach.`;
      });
    },
  };
}
