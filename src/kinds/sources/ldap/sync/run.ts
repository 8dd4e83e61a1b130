import { sql } from 'kysely';
import type { JobServer } from '../../../../core/kind/kind.ts';
import type { Cidrs } from '../../../../lib/cidr.ts';
import type { Query } from '../../../../platform/db/database.ts';
import type { Jobs } from '../../../../platform/jobs/job.ts';
import { orderedUuid } from '../../../../platform/random.ts';
import type { Sandbox } from '../../../../platform/sandbox/sandbox.ts';
import { loadSources } from '../../../../source/load-source.ts';
import { loadMappings } from '../../../../source/properties.ts';
import { type AwayServers, type Directory, openDirectory } from '../client/directory.ts';
import { DirectoryError } from '../client/directory-error.ts';
import { directorySettings, searchBase } from '../client/settings.ts';
import { type LdapSource, ldapMappingModel, ldapSourceIn } from '../ldap-model.ts';
import { storeConnectivity } from './connectivity.ts';
import { deleteMissing } from './delete-missing.ts';
import { createNotes, loadRuns, noCounts, type Phase, saveProgress } from './run-state.ts';
import type { SyncRun } from './sync-context.ts';
import { membersOf, storeMembers, syncGroups } from './sync-groups.ts';
import { syncMemberships } from './sync-memberships.ts';
import { syncUsers } from './sync-users.ts';

export const syncJobName = 'ldap_source_sync';
const runsKept = 10;
const maxRunMs = 2 * 60 * 60_000;
const connectMs = 15_000;
const operationMs = 60_000;
const maxEntries = 2_000_000;

export interface SyncNeeds {
  readonly sandbox: Sandbox;
  /** Private addresses that may be connected to. */
  readonly allow: Cidrs;
  readonly away: AwayServers;
}

/** Queues a run, unless one is waiting or running. */
export async function requestRun(jobs: Jobs, tx: Query, source: string, now: string, isDry = false): Promise<void> {
  const { rows } = await sql`select 1 from ldap_runs where source = ${source} and state = 'running'
    and is_dry = ${isDry}`.execute(tx);
  if (rows.length > 0) return;
  const pk = orderedUuid();
  await sql`insert into ldap_runs (pk, source, is_dry, state, phase, counts, messages, started)
    values (${pk}, ${source}, ${isDry}, 'running', 'connect', ${JSON.stringify(noCounts())}, '[]', ${now})`.execute(tx);
  await sql`delete from ldap_runs where source = ${source} and pk not in (select pk from ldap_runs
    where source = ${source} order by started desc, pk desc limit ${runsKept})`.execute(tx);
  await jobs.enqueue(tx, {
    kind: syncJobName,
    payload: { source, run: pk },
    key: `${syncJobName}:${pk}`,
    alone: `${syncJobName}:${source}`,
  });
}

/** Carries out a run. It ends as failed when the directory cannot be read to its end; no users are removed then. */
export async function carryOut(needs: SyncNeeds, server: JobServer, pk: string, stopped: AbortSignal): Promise<string> {
  const { db } = server;
  const engine = server.engine();
  const { rows } = await sql<{
    source: string;
  }>`select source from ldap_runs where pk = ${pk} and state = 'running'`.execute(db.read);
  const id = rows[0]?.source;
  if (id === undefined) return 'Nothing to do.';
  const run = (await loadRuns(db.read, id)).find((one) => one.pk === pk);
  const call = server.systemCall();
  const resource = ldapSourceIn(engine.registry);
  const [source] = await loadSources(resource, (row) => sql`${row.col('pk')} = ${id}`, call, db.read);
  const notes = createNotes();
  const counts = noCounts();
  const end = async (state: 'done' | 'failed', message: string) => {
    if (message !== '') notes.add(message);
    const { now } = server.systemCall();
    await db.write(async (tx) => {
      await sql`update ldap_runs set state = ${state}, phase = 'end', counts = ${JSON.stringify(counts)},
        messages = ${JSON.stringify(notes.all())}, finished = ${now} where pk = ${pk}`.execute(tx);
      await sql`delete from ldap_members where source = ${id}`.execute(tx);
    });
    return `${state}. ${message}`.trim();
  };
  if (!run || !source) return end('failed', 'The source cannot be read.');
  if (!source.enabled && !run.is_dry) return end('failed', 'The source is disabled.');
  const sync: SyncRun = {
    ...{ run, source, engine, sandbox: needs.sandbox, counts, notes },
    mappings: {
      user: await loadMappings('source_user_property_mappings', id, ldapMappingModel, db.read),
      group: await loadMappings('source_group_property_mappings', id, ldapMappingModel, db.read),
    },
    systemCall: server.systemCall,
  };
  const limit = AbortSignal.timeout(maxRunMs);
  const signal = AbortSignal.any([stopped, limit]);
  let directory: Directory | null = null;
  try {
    await db.write((tx) => sql`delete from ldap_members where source = ${id}`.execute(tx));
    directory = await openDirectory(await directorySettings(source, db.read, call.world), {
      ...{ allow: needs.allow, away: needs.away, connectMs, operationMs, signal },
    });
    await storeConnectivity(call, source, directory);
    await readAll(sync, directory, signal);
    return await end('done', '');
  } catch (error) {
    if (stopped.aborted) throw error;
    if (limit.aborted) return await end('failed', 'The run took too long.');
    if (!(error instanceof DirectoryError)) {
      await end('failed', 'The run failed; see the log of the server.');
      throw error;
    }
    await storeConnectivity(call, source, error);
    return await end('failed', error.message);
  } finally {
    directory?.close();
  }
}

async function readAll(sync: SyncRun, directory: Directory, signal: AbortSignal): Promise<void> {
  const { source, run, counts, notes, mappings } = sync;
  const progress = (phase: Phase) => () => saveProgress(sync.systemCall(), run.pk, phase, counts, notes);
  const isByUsers = source.sync_groups && /^memberOf$/i.test(source.group_membership_field);
  const kinds = (['user', 'group'] as const).filter((kind) => source[`sync_${kind}s`]);
  for (const kind of kinds) {
    if (mappings[kind].length === 0) throw new DirectoryError('result', `No mappings configured for ${kind}s.`);
    const found = counts[`${kind}s`];
    for await (const { entries, references } of directory.pages(
      searchBase(source, kind),
      filterOf(source, kind),
      signal,
    )) {
      counts.referrals += references;
      await (kind === 'user' ? syncUsers : syncGroups)(sync, entries);
      if (kind === 'user' && isByUsers)
        await storeMembers(
          sync,
          entries.flatMap((entry) => membersOf(entry, source.group_membership_field)),
        );
      await progress(`${kind}s`)();
      if (found.found > maxEntries) throw new DirectoryError('unreachable', 'The directory has too many entries.');
    }
  }
  if (source.sync_groups) await syncMemberships(sync, progress('memberships'));
  for (const kind of kinds) await deleteMissing(sync, kind, progress('deletions'));
  if (counts.referrals > 0) notes.add(`Referrals to other servers that were not followed: ${counts.referrals}.`);
}

const filterOf = (source: LdapSource, kind: 'user' | 'group') =>
  kind === 'user' ? source.user_object_filter : source.group_object_filter;
