import { type RawBuilder, sql } from 'kysely';
import { deleteInBatches } from '../../../core/cleanup/delete-in-batches.ts';
import type { Database } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/statement.ts';
import type { JobKind } from '../../../platform/jobs/job.ts';

/** The condition for usable tokens: those of a deleted provider await deletion by the job. */
export const hasProvider = (provider: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`exists (select 1 from providers p where p.pk = ${provider})`;

const anyDeletion = statement<[], unknown>(() => sql`select 1 as found from oauth2_provider_deletions limit 1`);

/** Deleting tokens together with their provider could keep other writers waiting for seconds. */
export const deleteTokensJob = (db: Database): JobKind => ({
  name: 'oauth2_delete_tokens',
  summary: 'Delete the tokens of a deleted OAuth2 provider.',
  oneAtATime: true,
  hasWork: async (query) => (await anyDeletion(query)).length > 0,
  wokenBy: 'oauth2_provider_deletions',
  async run({ signal }) {
    const { rows } = await sql<{ pk: number }>`select pk from oauth2_provider_deletions`.execute(db.read);
    let total = 0;
    for (const { pk } of rows) {
      for (const table of ['oauth2_access_tokens', 'oauth2_refresh_tokens']) {
        const where = () => sql`provider = ${pk}`;
        total += await deleteInBatches(db, { table, name: 'tokens', where }, '', signal);
      }
      // The server is stopping: the job is tried again.
      if (signal.aborted) throw new Error('interrupted');
      await db.write((tx) => sql`delete from oauth2_provider_deletions where pk = ${pk}`.execute(tx));
    }
    return total > 0 ? `${total} tokens removed.` : 'Nothing to do.';
  },
});
