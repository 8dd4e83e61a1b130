import { Invalid } from '../../lib/problem.ts';
import type { Jobs } from '../../platform/jobs/job.ts';
import { actionOn } from '../../resource/define.ts';
import { modelFacts } from '../../resource/write/audit.ts';
import { requestRun } from './run.ts';
import { isActive, type SyncKind } from './target.ts';

/** Starts a full run, unless one is already running. */
export const runAction = (kind: () => SyncKind, jobs: () => Jobs) =>
  actionOn<{ pk: number }>()({
    name: 'sync/run',
    on: 'row',
    method: 'POST',
    page: { button: 'Sync now' },
    summary: 'Send all users and groups now',
    access: 'change',
    answer: { status: 204 },
    async run({ tx, call, registry, row }) {
      if (!(await isActive(tx, kind(), row.pk)))
        throw Invalid.whole('No application uses this provider, so nothing is sent. Add it to one first.');
      await requestRun(jobs(), tx, row.pk, call.now);
      const model = modelFacts(registry.require(kind().model), row.pk, row);
      const context = { message: 'All users and groups are sent to the target of a provider.', model };
      await call.world.record(tx, call, { action: 'system_task_execution', app: 'svc_core', context });
    },
  });
