import type { JobServer } from '../../../core/kind/kind.ts';
import type { JobKind } from '../../../platform/jobs/job.ts';
import { deleteTemporaryUsers } from '../../../source/temporary-users.ts';

export const temporaryUsersJobName = 'saml_temporary_users';

/** Deletes users whom an identity provider named for one session, when that is over. */
export const temporaryUsersJob = ({ engine, systemCall }: JobServer): JobKind => ({
  name: temporaryUsersJobName,
  summary: 'Delete temporary users of SAML sources.',
  oneAtATime: true,
  everyMs: 5 * 60_000,
  async run({ signal }) {
    const count = await deleteTemporaryUsers(engine(), systemCall(), signal);
    return count === 0 ? 'Nothing to do.' : `${count} users deleted.`;
  },
});
