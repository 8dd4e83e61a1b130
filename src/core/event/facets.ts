import { hourMs } from '../../lib/duration.ts';
import { addMilliseconds, fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import { readList } from '../../platform/db/read-list.ts';
import { visibleRows } from '../../resource/access/access.ts';
import type { Call } from '../../resource/call.ts';
import {
  arrayOf,
  integerSchema,
  type JsonSchema,
  objectSchema,
  stringSchema,
  timeSchema,
} from '../../resource/document/json-schema.ts';
import type { Action, ActionInput } from '../../resource/resource.ts';
import { readApplications } from './applications.ts';
import { atLeastSchema, chartOf, isAllLookedAt, topOf, type Value, valuesOf, withExactnessOfEach } from './chart.ts';
import { eventModel, eventParameters, filteredEvents, givenMoment } from './filtered.ts';
import { sumIntervals } from './intervals.ts';
import type { Counting } from './rollup.ts';

const dayMs = 24 * hourMs;
const weekMs = 7 * dayMs;
/** Longer spans are counted by day. */
const hourlyUpToMs = 8 * dayMs;
const maxSpanMs = 400 * dayMs;
const maxValues = 10;
/** The roll-up does not have these. */
const columns = ['username', 'client_ip'];

const values: JsonSchema = arrayOf(objectSchema({ value: stringSchema, label: stringSchema, events: integerSchema }));

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
      at_least: atLeastSchema,
    }),
  },
  async run({ call, registry }) {
    const { start, end, intervalMs } = intervalsOf(call);
    const counting = await countingOf({ call, registry }, start, end);
    const counts = await chartOf(call, counting, intervalMs === dayMs ? 'day' : 'hour');
    const values = await valuesOf(call, counting, columns, maxValues);
    const body = {
      start: toTimestamp(start),
      interval_seconds: intervalMs / 1000,
      counts: sumIntervals(counts.rows, { start, intervalMs, count: (end - start) / intervalMs }),
      actions: topOf(counts, 'action', maxValues).map(labelled),
      usernames: (values.get('username') ?? []).map(labelled),
      client_ips: (values.get('client_ip') ?? []).map(labelled),
      applications: await withNames({ call, registry }, topOf(counts, 'authorized_app', maxValues)),
    };
    const { isExact } = counts;
    const areValuesExact = isAllLookedAt(counts);
    return withExactnessOfEach(
      {
        ...{ counts: isExact, actions: isExact, usernames: areValuesExact, client_ips: areValuesExact },
        applications: isExact,
      },
      body,
    );
  },
};

interface Intervals {
  readonly start: number;
  readonly end: number;
  readonly intervalMs: number;
}

const givenTime = ({ request: { query } }: Call, name: string) => givenMoment(query, name);

/** Whole hours or days that cover what is asked for. */
function intervalsOf(call: Call): Intervals {
  const moment = (name: string, otherwise: string): number =>
    fromTimestamp(givenTime(call, name) ?? otherwise).getTime();
  const last = moment('created__lt', call.now);
  const first = Math.max(moment('created__gte', addMilliseconds(toTimestamp(last), -weekMs)), last - maxSpanMs);
  const intervalMs = last - first > hourlyUpToMs ? dayMs : hourMs;
  const start = Math.floor(first / intervalMs) * intervalMs;
  return { start, end: Math.max(start + intervalMs, Math.ceil(last / intervalMs) * intervalMs), intervalMs };
}

type Input = Pick<ActionInput, 'call' | 'registry'>;

async function countingOf(input: Input, start: number, end: number): Promise<Counting> {
  const { call } = input;
  const since = givenTime(call, 'created__gte');
  const before = givenTime(call, 'created__lt');
  // What is no time is left to its filter, which complains. Otherwise the span stands for it.
  const query = new URLSearchParams(call.request.query);
  if (since) query.delete('created__gte');
  if (before) query.delete('created__lt');
  const timeless = { ...call, request: { ...call.request, query } };
  const first = toTimestamp(start);
  return {
    ...(await filteredEvents({ ...input, call: timeless })),
    span: { since: since && since > first ? since : first, before: before ?? addMilliseconds(first, end - start) },
  };
}

interface Labelled extends Value {
  readonly label: string;
}

const labelled = ({ value, events }: Value): Labelled => ({ value, label: value, events });

/** Events store the names of applications beside their keys. */
async function withNames({ call, registry }: Input, found: readonly Value[]): Promise<Labelled[]> {
  const keys = found.map(({ value }) => value);
  const where = await visibleRows(registry.require(eventModel), call, registry);
  const applications = await readList(call.db, (read) =>
    readApplications(read, { action: 'authorize_application', where }, keys),
  );
  return found.map((one) => {
    const name = applications.get(one.value)?.name;
    return typeof name === 'string' ? { ...labelled(one), label: name } : labelled(one);
  });
}
