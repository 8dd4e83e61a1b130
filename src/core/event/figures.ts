import { sql } from 'kysely';
import { hourMs } from '../../lib/duration.ts';
import { isJsonObject } from '../../lib/json.ts';
import { Invalid } from '../../lib/problem.ts';
import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import { visibleRows } from '../../resource/access/access.ts';
import type { Call } from '../../resource/call.ts';
import {
  arrayOf,
  integerSchema,
  type JsonSchema,
  objectSchema,
  stringSchema,
} from '../../resource/document/json-schema.ts';
import { parseWhole } from '../../resource/fields/scalar.ts';
import { noChoice } from '../../resource/fields/text.ts';
import { isStorable, unstorable } from '../../resource/fields/well-formed.ts';
import type { Action } from '../../resource/resource.ts';
import { eventActions } from './actions.ts';
import { topApplications } from './applications.ts';
import { chartOf, withExactness } from './chart.ts';
import { keyText } from './columns.ts';
import { type Filtered, filteredEvents, eventModel as model, visibleEvents } from './filtered.ts';
import { sumIntervals } from './intervals.ts';

export const coordinates: JsonSchema = arrayOf({
  ...objectSchema({ x_cord: integerSchema, y_cord: integerSchema }),
  description: 'x_cord: milliseconds since 1970; y_cord: how many',
});

export const actionsAction: Action = {
  name: 'actions',
  on: 'set',
  method: 'GET',
  page: { noButton: 'The page Events offers them as choices.' },
  summary: 'List event types',
  access: 'authenticated',
  answer: { status: 200, schema: arrayOf({ $ref: '#/components/schemas/TypeCreate' }) },
  run: async () =>
    Object.entries(eventActions).map(([component, name]) => ({ name, description: '', component, model_name: '' })),
};

const filterNames = [
  'action',
  'brand_name',
  'client_ip',
  'context_authorized_app',
  'context_model_app',
  'context_model_name',
  'context_model_pk',
  'ordering',
  'search',
  'username',
];

/** Event counts of the last week, in steps of eight hours. */
export const volumeAction: Action = {
  name: 'volume',
  on: 'set',
  method: 'GET',
  page: { noButton: 'The page Events draws it.' },
  summary: 'Count the events of the last week',
  access: 'authenticated',
  query: Object.fromEntries(filterNames.map((name) => [name, stringSchema])),
  answer: { status: 200, schema: coordinates, schemaName: 'Coordinate' },
  async run(input) {
    const chart = await countLastWeek(input.call, await filteredEvents(input));
    return withExactness(chart, chart.points);
  },
};

/** Event counts of the last thirty days, by day. */
export const perMonthAction: Action = {
  name: 'per_month',
  on: 'set',
  method: 'GET',
  page: { noButton: 'The page Events counts events.' },
  summary: 'Count the events of one action in the last month',
  access: 'authenticated',
  query: { action: stringSchema, query: stringSchema },
  answer: { status: 200, schema: coordinates, schemaName: 'Coordinate' },
  async run(input) {
    const { query } = input.call.request;
    const row = input.registry.require(model).row();
    const action = query.get('action') || 'login';
    const conditions = Object.entries(parseQuery(query.get('query') || '{}')).map(
      ([column, value]) => sql`${row.col(column)} = ${value}`,
    );
    const counting = await visibleEvents(input, {
      conditions: [sql`${row.col('action')} = ${action}`, ...conditions],
      isRolledUp: conditions.length === 0,
    });
    const chart = await countOverTime(input.call, counting, 'day', 24 * hourMs, 30);
    return withExactness(chart, chart.points);
  },
};

/** The keys that `query` accepts, under the names that clients use, and their columns. */
const queryColumns: Readonly<Record<string, string>> = {
  context__authorized_application__pk: 'authorized_app',
  context__model__app: 'model_app',
  context__model__model_name: 'model_name',
  context__model__pk: 'model_pk',
  client_ip: 'client_ip',
  user__pk: 'user_pk',
  user__username: 'username',
};

function parseQuery(text: string): Record<string, string | number> {
  const given = parseObject(text);
  if (!given) throw Invalid.field('query', 'Value must be valid JSON.');
  const conditions: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(given)) {
    const column = Object.hasOwn(queryColumns, name) ? queryColumns[name] : undefined;
    if (!column) throw Invalid.field('query', noChoice(name, Object.keys(queryColumns)));
    conditions[column] = columnValue(column, value);
  }
  return conditions;
}

function columnValue(column: string, value: unknown): string | number {
  if (column === 'user_pk') {
    const parsed = parseWhole(value);
    if ('complaint' in parsed) throw Invalid.field('query', ...Object.values(parsed.complaint).flat());
    return parsed.value;
  }
  if (typeof value !== 'string' && typeof value !== 'number') throw Invalid.field('query', 'Not a valid string.');
  const text = String(value);
  if (!isStorable(text)) throw Invalid.field('query', unstorable);
  return column.endsWith('_pk') || column === 'authorized_app' ? String(keyText(text)) : text;
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    // The caller of this function reports the error.
    return null;
  }
}

/** The most used applications, with their number of users. */
export const topPerUserAction: Action = {
  name: 'top_per_user',
  on: 'set',
  method: 'GET',
  page: { noButton: 'The start page shows it.' },
  summary: 'List the applications that are used most',
  access: 'authenticated',
  query: { action: stringSchema, top_n: integerSchema },
  answer: {
    status: 200,
    schema: arrayOf(
      objectSchema({
        application: { type: 'object', additionalProperties: true },
        counted_events: integerSchema,
        unique_users: integerSchema,
      }),
    ),
    schemaName: 'EventTopPerUser',
  },
  async run(input) {
    const { call } = input;
    const action = call.request.query.get('action') || 'authorize_application';
    const limit = parseWhole(call.request.query.get('top_n') || '15', 1, 1000);
    if ('complaint' in limit) throw Invalid.field('top_n', ...Object.values(limit.complaint).flat());
    const events = input.registry.require(model);
    const where = await visibleRows(events, call, input.registry);
    const { top, isExact } = await topApplications(call, { action, where, limit: limit.value });
    const body = top.map(({ application, events, users }) => ({
      application,
      counted_events: events,
      unique_users: users,
    }));
    return withExactness({ isExact }, body);
  },
};

/** Counts the events of the last week, in steps of eight hours. */
export const countLastWeek = (call: Call, counting: Filtered) => countOverTime(call, counting, 'hour', 8 * hourMs, 21);

/** The same of several actions, each by its name, as an answer. Each has conditions of its own. */
export async function lastWeekOf(call: Call, counting: Readonly<Record<string, Filtered>>) {
  const charts = await Promise.all(
    Object.entries(counting).map(async ([name, events]) => [name, await countLastWeek(call, events)] as const),
  );
  const isExact = charts.every(([, chart]) => chart.isExact);
  return withExactness({ isExact }, Object.fromEntries(charts.map(([name, { points }]) => [name, points])));
}

/** Counts events per hour or day, summed up to intervals that end now; oldest first. */
async function countOverTime(
  call: Call,
  counting: Filtered,
  unit: 'hour' | 'day',
  intervalMs: number,
  intervals: number,
) {
  const end = bucketEnd(call, unit);
  const start = end - intervals * intervalMs;
  const span = { since: toTimestamp(start), before: toTimestamp(end) };
  const { rows, isExact } = await chartOf(call, { ...counting, span }, unit);
  const points = sumIntervals(rows, { start, intervalMs, count: intervals }).map((count, index) => ({
    x_cord: start + index * intervalMs,
    y_cord: count,
  }));
  return { points, isExact };
}

/** The end of the current hour or day. */
function bucketEnd(call: Call, unit: 'hour' | 'day'): number {
  const unitMs = unit === 'hour' ? hourMs : 24 * hourMs;
  return Math.floor(fromTimestamp(call.now).getTime() / unitMs) * unitMs + unitMs;
}
