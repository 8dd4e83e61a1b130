import { type RawBuilder, sql } from 'kysely';
import { fromTimestamp } from '../../platform/clock.ts';
import type { Query } from '../../platform/db/database.ts';
import { readList } from '../../platform/db/read-list.ts';
import type { Call } from '../../resource/call.ts';
import { hourOf, readUntil } from '../../resource/counted.ts';
import { estimated, type Span } from '../../resource/counted-rows.ts';
import { arrayOf, stringSchema } from '../../resource/json-schema.ts';
import { ReplyWith } from '../../resource/operations.ts';
import { eventHours, type HourRow, type Reading, readHours, sumOf } from './counted.ts';
import { afterTime, allEvents, type EventSource, noConditions, type Sampling, sampledEvents } from './sample.ts';

/** Up to so many events are read for a chart. If there are more, about half as many of them. */
export const maxRead = 20_000;
/** To tell whether the conditions leave out nearly all. */
const pilotRead = 2_000;
/** To tell how many events there are. */
const pilotShare = 0.004;
/** The counts by hour are never so much behind, unless they are new; a chart may end as much as a day from now. */
const usualLagMs = 26 * 3_600_000;

export interface Counting {
  readonly span: Span;
  /** On the event `t`. */
  readonly conditions: readonly RawBuilder<unknown>[];
  /** Whether they name `t.action` alone, by which events are counted ahead. */
  readonly isCounted: boolean;
  /** Whether one of them is a search without an index, for which each event of the time is read. */
  readonly isSlow?: boolean;
  /** How many events of the time there are, if that is known. */
  readonly total?: number;
  /** Up to how many events are read, if not as many as for a chart. */
  readonly most?: number;
  readonly sampling?: Sampling;
}

export interface Chart {
  readonly hours: readonly HourRow[];
  /** False if there are so many events that a sample of them was counted. */
  readonly isExact: boolean;
}

/** Counts events by hour and action. */
export const chartOf = (call: Call, counting: Counting): Promise<Chart> =>
  readList(call.db, async (read) => {
    const hours = await hoursAhead(call, read, counting);
    if (hours) return { hours, isExact: true };
    const source = await sourceOf(call, read, counting);
    return { hours: await countHours(read, source), isExact: source.factor === 1 };
  });

export interface Value {
  readonly value: string;
  readonly events: number;
}

/** The same with the most frequent values of some columns. */
export const chartWithValues = (
  call: Call,
  counting: Counting,
  columns: readonly string[],
  most: number,
): Promise<Chart & { readonly values: ReadonlyMap<string, Value[]>; readonly areValuesExact: boolean }> =>
  readList(call.db, async (read) => {
    const ahead = await hoursAhead(call, read, counting);
    const source = await sourceOf(call, read, counting, ahead);
    const hours = ahead ?? (await countHours(read, source));
    const values = await topValues(read, source, columns, most);
    const areValuesExact = source.factor === 1;
    return { hours, isExact: ahead !== null || areValuesExact, values, areValuesExact };
  });

/** Counts by hour and action if these are all that the conditions name. */
export async function hoursAhead({ db: { dialect } }: Call, read: Query, { isCounted, span, conditions }: Counting) {
  const reading = { read, dialect };
  return isCounted && (await countBehind(reading, span)) === 0 ? readHours(reading, span, conditions) : null;
}

/** Where to count events: all of them, or a sample if there are too many. `hours` are those that are counted ahead. */
export async function sourceOf(
  { db: { dialect } }: Call,
  read: Query,
  { span, conditions, isSlow, sampling = {}, most = maxRead, ...known }: Counting,
  hours: HourRow[] | null = null,
): Promise<EventSource> {
  const total = hours ? sumOf(hours) : (known.total ?? (await totalOf({ read, dialect }, span)));
  // An index has action and time.
  const windowed = hours ? { within: conditions, further: [] } : afterTime(dialect, conditions);
  if (total <= most) return allEvents(dialect, span, [...windowed.within, ...windowed.further], sampling.columns);
  const sampled = sampledEvents(dialect, span, windowed, most / 2 / total, sampling);
  if (hours || isSlow) return sampled;
  const pilot = sumOf(
    await countHours(read, { ...sampledEvents(dialect, span, windowed, pilotRead / total), factor: 1 }),
  );
  // An index leads to what is rare.
  return pilot < pilotRead / 100 ? allEvents(dialect, span, conditions, sampling.columns) : sampled;
}

/** The number of events of a time, exact if they are few enough to be read. */
async function totalOf(reading: Reading, span: Span): Promise<number> {
  const behind = await countBehind(reading, span);
  return behind > 0 ? behind : sumOf(await readHours(reading, span, []));
}

/** About how many events of a time there are if most are in no count by hour yet and too many to be read, as after an upgrade; else 0. */
async function countBehind({ read, dialect }: Reading, span: Span): Promise<number> {
  const until = hourOf(await readUntil(read, eventHours));
  const first = until > span.since ? until : span.since;
  if (fromTimestamp(span.before).getTime() - fromTimestamp(first).getTime() <= usualLagMs) return 0;
  const found = sumOf(await countHours(read, sampledEvents(dialect, span, noConditions, pilotShare)));
  return found > maxRead ? found : 0;
}

async function countHours(read: Query, { found, factor }: EventSource): Promise<HourRow[]> {
  const { rows } =
    await sql<HourRow>`with ${found} select bucket, action, count(*) as events from found group by 1, 2`.execute(read);
  return rows.map((row) => ({ ...row, events: scaled(row.events, factor) }));
}

/** All columns by one statement, so that events are read once. */
async function topValues(read: Query, { found, factor }: EventSource, columns: readonly string[], most: number) {
  const parts = columns.map(
    (column) => sql`select * from (select ${sql.lit(column)} as name, ${sql.ref(column)} as value, count(*) as events
      from found where ${sql.ref(column)} <> '' group by 2 order by 3 desc, 2 limit ${most}) as ${sql.ref(`of_${column}`)}`,
  );
  const { rows } = await sql<{ name: string; value: string; events: number | string }>`with ${found}
    ${sql.join(parts, sql` union all `)}`.execute(read);
  const values = new Map<string, Value[]>(columns.map((column) => [column, []]));
  for (const { name, value, events } of rows) values.get(name)?.push({ value, events: scaled(events, factor) });
  return values;
}

const scaled = (events: number | string, factor: number) => Math.round(Number(events) * factor);

/** An answer with figures, and whether they are estimates. */
export const withExactness = ({ isExact }: Pick<Chart, 'isExact'>, body: unknown) =>
  isExact ? body : new ReplyWith(200, body, estimated);

export const estimatedSchema = { ...arrayOf(stringSchema), description: 'The members whose figures are estimates.' };

/** The same where members differ in it: `estimated` names those that are estimates. */
export function withExactnessOfEach(isExact: Readonly<Record<string, boolean>>, body: object) {
  const estimated = Object.keys(isExact).filter((name) => !isExact[name]);
  return withExactness({ isExact: estimated.length === 0 }, { ...body, estimated });
}
