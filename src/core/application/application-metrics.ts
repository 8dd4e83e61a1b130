import { sql } from 'kysely';
import { actionOn } from '../../resource/define.ts';
import { arrayOf, integerSchema, objectSchema } from '../../resource/json-schema.ts';
import { saidToBe } from '../event/chart.ts';
import { keyText } from '../event/columns.ts';
import { countOverTime } from '../event/figures.ts';
import { visibleEvents } from '../event/filtered.ts';

const thirdOfDayMs = 8 * 3_600_000;

/** Launches of the application in the last week, in steps of eight hours, among the events that the caller may see. */
export const metricsAction = actionOn<{ pk: string }>()({
  name: 'metrics',
  on: 'row',
  method: 'GET',
  page: { noButton: 'The page of an application lists its sign-ins under Events.' },
  summary: 'Count how often the application was used in the last week',
  access: 'visible',
  answer: { status: 200, schema: arrayOf(objectSchema({ x_cord: integerSchema, y_cord: integerSchema })) },
  async run(input) {
    const conditions = [sql`t.action = 'authorize_application'`, sql`t.authorized_app = ${keyText(input.row.pk)}`];
    const visits = await visibleEvents(input, { conditions, isCounted: false });
    const chart = await countOverTime(input.call, visits, 'hour', thirdOfDayMs, 21);
    return saidToBe(chart, chart.points);
  },
});
