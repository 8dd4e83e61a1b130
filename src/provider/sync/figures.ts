import { sql } from 'kysely';
import type { Query } from '../../platform/db/database.ts';
import type { Figure } from '../../platform/metrics.ts';

interface Counts {
  readonly name: string;
  readonly outstanding: number | string;
  readonly failing: number | string;
  readonly total: number | null;
  readonly done: number | null;
  readonly failed: number | null;
}

/** For each provider: pending objects, and the progress of its last run. */
export async function syncFigures(query: Query): Promise<readonly Figure[]> {
  const { rows } = await sql<Counts>`select p.name,
      (select count(*) from sync_objects o where o.provider = p.pk and o.due is not null) as outstanding,
      (select count(*) from sync_objects o where o.provider = p.pk and o.error <> '') as failing,
      r.total, r.done, r.failed
    from providers p left join sync_runs r on r.pk = (select l.pk from sync_runs l where l.provider = p.pk
      order by l.started desc, l.pk desc limit 1)
    where p.is_backchannel`.execute(query);
  return rows.flatMap(({ name, outstanding, failing, total, done, failed }) => {
    const figure = (state: string, value: number) => ({ labels: { provider: name, state }, value });
    const ofRun = total !== null && done !== null && failed !== null;
    return [
      figure('outstanding', Number(outstanding)),
      figure('failing', Number(failing)),
      ...(ofRun
        ? [
            figure('run_done', done),
            figure('run_left', Math.max(total - done - failed, 0)),
            figure('run_failed', failed),
          ]
        : []),
    ];
  });
}
