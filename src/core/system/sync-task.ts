import { fromTimestamp } from '../../platform/clock.ts';

export interface SyncRun {
  readonly pk: string;
  readonly state: 'running' | 'done' | 'failed';
  readonly phase: string;
  readonly started: string;
  readonly finished: string | null;
}

interface SyncTask {
  readonly job: string;
  readonly uid: string;
  readonly description: string;
  /** How many objects failed. */
  readonly failed: number;
  readonly messages: readonly string[];
}

/** A run of a sync as a system task, for status operations. */
export function syncTaskOf(run: SyncRun, { job, uid, description, failed, messages }: SyncTask) {
  const end = run.finished ?? run.started;
  const { status, level } = outcomeOf(run.state, failed);
  return {
    uuid: run.pk,
    name: job,
    full_name: `${job}:${uid}`,
    uid,
    description,
    start_timestamp: run.started,
    finish_timestamp: end,
    duration: (fromTimestamp(end).getTime() - fromTimestamp(run.started).getTime()) / 1_000,
    status,
    messages: messages.map((event) => ({
      timestamp: end,
      log_level: level,
      logger: 'gatehouse.sync',
      event,
      attributes: { phase: run.phase },
    })),
    expires: null,
    expiring: false,
  };
}

function outcomeOf(state: SyncRun['state'], failed: number) {
  if (state === 'failed') return { status: 'error', level: 'error' };
  const level = failed > 0 ? 'warning' : 'info';
  if (state === 'running') return { status: 'unknown', level };
  return { status: failed > 0 ? 'warning' : 'successful', level };
}
