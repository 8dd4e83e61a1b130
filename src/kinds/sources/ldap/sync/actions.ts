import { checkReadsDirectory } from '../../../../core/access/directory-readers.ts';
import { syncTaskOf } from '../../../../core/system/sync-task.ts';
import { Invalid } from '../../../../lib/problem.ts';
import type { Jobs } from '../../../../platform/jobs/job.ts';
import { requireActor } from '../../../../resource/call.ts';
import { actionOn } from '../../../../resource/define.ts';
import {
  arrayOf,
  booleanSchema,
  integerSchema,
  objectSchema,
  orNull,
  stringSchema,
  timeSchema,
} from '../../../../resource/document/json-schema.ts';
import { boolean } from '../../../../resource/fields/scalar.ts';
import type { Action } from '../../../../resource/resource.ts';
import { modelFacts } from '../../../../resource/write/audit.ts';
import { openDirectory } from '../client/directory.ts';
import { DirectoryError } from '../client/directory-error.ts';
import { directorySettings, searchBase } from '../client/settings.ts';
import { type LdapSource, ldapSourceModel } from '../ldap-model.ts';
import { requestRun, type SyncNeeds, syncJobName } from './run.ts';
import { loadRuns, type RunRow } from './run-state.ts';

const figures = objectSchema({
  ...{ found: integerSchema, created: integerSchema, updated: integerSchema, unchanged: integerSchema },
  ...{ failed: integerSchema, missing: integerSchema, deleted: integerSchema },
});

const statusSchema = objectSchema({
  is_running: booleanSchema,
  tasks: arrayOf({ $ref: '#/components/schemas/SystemTask' }),
  last_successful_sync: orNull(timeSchema),
  run: orNull(
    objectSchema({
      state: { type: 'string', enum: ['running', 'done', 'failed'] },
      is_dry: booleanSchema,
      phase: stringSchema,
      users: figures,
      groups: figures,
      memberships: objectSchema({ added: integerSchema, removed: integerSchema }),
      messages: arrayOf(stringSchema),
      started: timeSchema,
      finished: orNull(timeSchema),
    }),
  ),
});

export function ldapActions(needs: SyncNeeds & { jobs(): Jobs }): Action<LdapSource>[] {
  return [statusAction, runAction(needs), debugAction(needs)];
}

const statusAction = actionOn<LdapSource>()({
  name: 'sync/status',
  on: 'row',
  method: 'GET',
  page: { button: 'Sync status' },
  summary: 'Show the status of the sync',
  access: 'visible',
  answer: { status: 200, schema: statusSchema, schemaName: 'LDAPSyncStatus' },
  async run({ call, row }) {
    const runs = await loadRuns(call.db.read, row.pk);
    const [latest] = runs;
    const maySeeTasks = requireActor(call).holds('svc_events.view_systemtask');
    const done = runs.find(({ state, is_dry }) => state === 'done' && !is_dry);
    return {
      is_running: latest?.state === 'running',
      tasks: maySeeTasks ? runs.map((run) => taskOf(run, row)) : [],
      last_successful_sync: done?.finished ?? null,
      run: latest ? shownRun(latest) : null,
    };
  },
});

function shownRun({ state, is_dry, phase, counts, messages, started, finished }: RunRow) {
  const { users, groups, memberships } = counts;
  return { state, is_dry, phase, users, groups, memberships, messages, started, finished };
}

function taskOf(run: RunRow, { slug, name }: LdapSource) {
  const { users, groups } = run.counts;
  const failed = users.failed + groups.failed;
  const summary = `${users.found} users and ${groups.found} groups found, ${failed} failed.`;
  return syncTaskOf(run, {
    job: syncJobName,
    uid: slug,
    description: `Sync of ${name}`,
    failed,
    messages: [summary, ...run.messages],
  });
}

const runAction = ({ jobs }: { jobs(): Jobs }) =>
  actionOn<LdapSource>()({
    name: 'sync/run',
    on: 'row',
    method: 'POST',
    page: { button: 'Sync now' },
    summary: 'Read users and groups from the directory now',
    access: 'change',
    body: {
      preview: boolean({
        default: false,
        label: 'Only preview',
        help: 'Whether to change nothing and only show in the status what a run would do.',
      }),
    },
    bodySchema: 'LDAPSyncRunRequest',
    answer: { status: 204 },
    async run({ tx, call, registry, row, values }) {
      checkReadsDirectory(call.actor);
      if (!row.enabled && !values.preview) throw Invalid.whole('The source is disabled. Enable it first.');
      await requestRun(jobs(), tx, row.pk, call.now, values.preview);
      const model = modelFacts(registry.require(ldapSourceModel), row.pk, row);
      const context = { message: 'Users and groups are read from a directory.', model };
      await call.world.record(tx, call, { action: 'system_task_execution', app: 'svc_sources_ldap', context });
    },
  });

const samples = 10;
const limits = { connectMs: 5_000, operationMs: 10_000 };
const totalMs = 30_000;

const entries = arrayOf({ type: 'object', additionalProperties: true });

/** The first entries as the directory has them, for those who write filters and mappings. */
const debugAction = ({ allow, away }: SyncNeeds) =>
  actionOn<LdapSource>()({
    name: 'debug',
    on: 'row',
    method: 'GET',
    page: { button: 'Sample entries' },
    summary: 'Show some entries of the directory',
    access: 'visible',
    answer: {
      status: 200,
      schema: objectSchema({ user: entries, group: entries, membership: entries }),
      schemaName: 'LDAPDebug',
    },
    async prepare({ call, row }) {
      checkReadsDirectory(call.actor);
      try {
        const settings = await directorySettings(row, call.db.read, call.world);
        const directory = await openDirectory(settings, {
          allow,
          away,
          ...limits,
          signal: AbortSignal.timeout(totalMs),
        });
        try {
          const first = async (kind: 'user' | 'group', filter: string) => {
            for await (const page of directory.pages(searchBase(row, kind), filter)) {
              if (page.entries.length > 0)
                return page.entries.slice(0, samples).map(({ dn, attributes }) => ({ dn, ...attributes }));
            }
            return [];
          };
          return {
            user: await first('user', row.user_object_filter),
            group: await first('group', row.group_object_filter),
            membership: await first('group', `(&${row.group_object_filter}(${row.group_membership_field}=*))`),
          };
        } finally {
          directory.close();
        }
      } catch (error) {
        if (error instanceof DirectoryError) throw Invalid.whole(error.message);
        throw error;
      }
    },
    run: async ({ prepared }) => prepared,
  });
