import { sql } from 'kysely';
import { actionOn } from '../../resource/define.ts';
import { withExactness } from '../event/chart.ts';
import { keyText } from '../event/columns.ts';
import { coordinates, countLastWeek } from '../event/figures.ts';
import { visibleEvents } from '../event/filtered.ts';

/** Launches of the application in the last week, in steps of eight hours, among the events that the caller may see. */
export const metricsAction = actionOn<{ pk: string }>()({
  name: 'metrics',
  on: 'row',
  method: 'GET',
  page: { noButton: 'The page of an application lists its sign-ins under Events.' },
  summary: 'Count how often the application was used in the last week',
  access: 'visible',
  answer: { status: 200, schema: coordinates, schemaName: 'Coordinate' },
  async run(input) {
    const conditions = [sql`t.action = 'authorize_application'`, sql`t.authorized_app = ${keyText(input.row.pk)}`];
    const chart = await countLastWeek(input.call, await visibleEvents(input, { conditions, isRolledUp: true }));
    return withExactness(chart, chart.points);
  },
});
