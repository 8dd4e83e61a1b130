import { type RawBuilder, sql } from 'kysely';
import { addMilliseconds, fromTimestamp, parseTimestamp, toTimestamp } from '../../platform/clock.ts';
import { readList } from '../../platform/db/read-list.ts';
import { visibleRows } from '../../resource/access.ts';
import type { Call } from '../../resource/call.ts';
import {
  arrayOf,
  integerSchema,
  type JsonSchema,
  objectSchema,
  stringSchema,
  timeSchema,
} from '../../resource/json-schema.ts';
import { filterConditions } from '../../resource/query.ts';
import type { Action, ActionInput } from '../../resource/resource.ts';
import { searchConditions } from '../../resource/search-conditions.ts';
import { type BucketRow, sumIntervals } from './counts.ts';

const model = 'svc_events.event';
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const weekMs = 7 * dayMs;
/** Longer spans are counted by day. */
const hourlyUpToMs = 8 * dayMs;
const maxSpanMs = 400 * dayMs;
const maxValues = 10;

const values: JsonSchema = arrayOf(objectSchema({ value: stringSchema, label: stringSchema, events: integerSchema }));

/** The conditions of the caller's filters and rights, as the list applies them. */
export async function eventConditions({ call, registry }: Pick<ActionInput, 'call' | 'registry'>) {
  const resource = registry.require(model);
  const visible = await visibleRows(resource, call, registry);
  return [
    ...(visible ? [visible] : []),
    ...(await filterConditions(resource, call, registry)),
    ...searchConditions(resource, call, registry),
  ];
}

/** The query parameters that the list, the facets and the export share. */
export const eventParameters: Readonly<Record<string, JsonSchema>> = {
  ...Object.fromEntries(
    [
      ...['action', 'brand_name', 'client_ip', 'context_authorized_app', 'context_model_app', 'context_model_name'],
      ...['context_model_pk', 'search', 'username'],
    ].map((name) => [name, stringSchema]),
  ),
  actions: arrayOf(stringSchema),
  created__gte: timeSchema,
  created__lt: timeSchema,
};

/** How filtered events are spread over time, and their most frequent values. */
export const facetsAction: Action = {
  name: 'facets',
  on: 'set',
  method: 'GET',
  operation: 'facets_retrieve',
  page: { noButton: 'The page Events shows them.' },
  summary: 'Count filtered events over time and by their most frequent values; of the last week by default',
  access: 'authenticated',
  query: eventParameters,
  answer: {
    status: 200,
    schemaName: 'EventFacets',
    schema: objectSchema({
      start: timeSchema,
      interval_seconds: integerSchema,
      counts: arrayOf(integerSchema),
      actions: values,
      usernames: values,
      client_ips: values,
      applications: values,
    }),
  },
  async run(input) {
    const { call } = input;
    const { start, end, intervalMs } = spanOf(call);
    const conditions = [...(await eventConditions(input)), sql`t.created >= ${toTimestamp(start)}`];
    const where = sql`where ${sql.join(conditions, sql` and `)}`;
    const top = (column: string) => topValues(call, where, column);
    const [counts, actions, usernames, client_ips, applications] = await Promise.all([
      countIntervals(call, where, { start, end, intervalMs }),
      top('action'),
      top('username'),
      top('client_ip'),
      top('authorized_app'),
    ]);
    return {
      start: toTimestamp(start),
      interval_seconds: intervalMs / 1000,
      ...{ counts, actions, usernames, client_ips },
      applications: await withNames(call, applications),
    };
  },
};

interface Span {
  readonly start: number;
  readonly end: number;
  readonly intervalMs: number;
}

/** Whole hours or days that cover what is asked for. */
function spanOf({ now, request: { query } }: Call): Span {
  const moment = (name: string, otherwise: string): number => {
    const given = parseTimestamp((query.get(name) ?? '').replace(' ', '+'));
    return fromTimestamp(given ?? otherwise).getTime();
  };
  const last = moment('created__lt', now);
  const first = Math.max(moment('created__gte', addMilliseconds(toTimestamp(last), -weekMs)), last - maxSpanMs);
  const intervalMs = last - first > hourlyUpToMs ? dayMs : hourMs;
  const start = Math.floor(first / intervalMs) * intervalMs;
  return { start, end: Math.max(start + intervalMs, Math.ceil(last / intervalMs) * intervalMs), intervalMs };
}

async function countIntervals(call: Call, where: RawBuilder<unknown>, { start, end, intervalMs }: Span) {
  const unit = intervalMs === dayMs ? 'day' : 'hour';
  const bucket = call.db.dialect.timeBucket(sql.ref('t.created'), unit);
  const query = sql<BucketRow>`select ${bucket} as bucket,
    count(*) as events from events as t ${where} group by 1`;
  const { rows } = await readList(call.db, (read) => query.execute(read));
  return sumIntervals(rows, { start, intervalMs, count: (end - start) / intervalMs });
}

interface Value {
  readonly value: string;
  readonly label: string;
  readonly events: number;
}

async function topValues(call: Call, where: RawBuilder<unknown>, column: string): Promise<Value[]> {
  // Not the bare column: SQLite would read all events in the order of its index, to spare itself the sorting of a few.
  const name = sql`coalesce(${sql.ref(`t.${column}`)}, '')`;
  const query = sql<{ value: string; events: number | string }>`select ${name} as value, count(*) as events
    from events as t ${where} and ${name} <> '' group by 1
    order by 2 desc, 1 limit ${maxValues}`;
  const { rows } = await readList(call.db, (read) => query.execute(read));
  return rows.map(({ value, events }) => ({ value, label: value, events: Number(events) }));
}

/** Events store the names of applications beside their keys. */
async function withNames(call: Call, found: readonly Value[]): Promise<Value[]> {
  return Promise.all(
    found.map(async (one) => {
      const { rows } = await sql<{ context: string }>`select context from events
        where action = 'authorize_application' and authorized_app = ${one.value} limit 1`.execute(call.db.read);
      const name = rows[0] && JSON.parse(rows[0].context).authorized_application?.name;
      return typeof name === 'string' ? { ...one, label: name } : one;
    }),
  );
}
