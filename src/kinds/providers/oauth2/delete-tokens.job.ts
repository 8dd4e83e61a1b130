import { type RawBuilder, sql } from 'kysely';
import { deleteInBatches } from '../../../core/cleanup/delete-in-batches.ts';
import type { Database, Query } from '../../../platform/db/database.ts';
import type { JobKind, Jobs, RunningJob } from '../../../platform/jobs/job.ts';

const kind = 'oauth2_delete_tokens';

interface Payload {
  readonly provider: number;
}

/** For the transaction that deletes a provider: deleting its tokens there could keep other writers waiting for seconds. */
export const queueTokenDeletion = (tx: Query, jobs: Jobs, provider: number): Promise<void> =>
  jobs.enqueue(tx, { kind, payload: { provider } satisfies Payload });

/** The condition for tokens that can be used: those of a deleted provider wait for the job. */
export const hasProvider = (provider: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`exists (select 1 from providers p where p.pk = ${provider})`;

export const deleteTokensJob = (db: Database): JobKind<Payload> => ({
  name: kind,
  summary: 'Delete the tokens of a deleted OAuth2 provider.',
  async run({ payload: { provider }, signal }: RunningJob<Payload>) {
    let total = 0;
    for (const table of ['oauth2_access_tokens', 'oauth2_refresh_tokens']) {
      const where = () => sql`provider = ${provider}`;
      total += await deleteInBatches(db, { table, name: 'tokens', where }, '', signal);
    }
    // The server is stopping: the job is tried again.
    if (signal.aborted) throw new Error('interrupted');
    return total > 0 ? `${total} tokens removed.` : 'Nothing to do.';
  },
});
