import { sql } from 'kysely';
import type { JobServer } from '../../../../core/kind/kind.ts';
import type { JobKind } from '../../../../platform/jobs/job.ts';
import { carryOut, requestRun, type SyncNeeds, syncJobName } from './run.ts';

const everyMs = 2 * 60 * 60_000;

/** Runs of LDAP sources: one at a time for each source, every two hours and on request. */
export function ldapSyncJobs(needs: SyncNeeds, server: JobServer): JobKind[] {
  const one: JobKind<{ source: string; run: string }> = {
    name: syncJobName,
    summary: 'Read users and groups from an LDAP directory.',
    lane: 'bulk',
    isOutgoing: true,
    async run({ payload, signal }) {
      return carryOut(needs, server, payload.run, signal);
    },
    async afterFailure(tx, { payload, message }) {
      await sql`update ldap_runs set state = 'failed', messages = ${JSON.stringify([message])}
        where pk = ${payload.run} and state = 'running'`.execute(tx);
    },
  };
  const all: JobKind = {
    name: 'ldap_source_sync_all',
    summary: 'Start a run of each LDAP source.',
    everyMs,
    async run() {
      const { rows } = await sql<{ pk: string }>`select l.pk from source_ldap l join sources s on s.pk = l.pk
        where s.enabled`.execute(server.db.read);
      const { now } = server.systemCall();
      await server.db.write(async (tx) => {
        for (const { pk } of rows) await requestRun(server.jobs(), tx, pk, now);
      });
      return `${rows.length} started`;
    },
  };
  return [one, all];
}
