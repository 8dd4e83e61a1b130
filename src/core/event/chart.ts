import { type RawBuilder, sql } from 'kysely';
import type { Query } from '../../platform/db/database.ts';
import { readList } from '../../platform/db/read-list.ts';
import type { Call } from '../../resource/call.ts';
import { estimated } from '../../resource/counted-rows.ts';
import { ReplyWith } from '../../resource/operations.ts';
import { type HourRow, readHours, type Span, sumOf } from './counted.ts';
import { allEvents, byWindow, type EventSource, sampledEvents } from './sample.ts';

/** About so many events are read for a chart, however many there are. */
const maxRead = 20_000;
/** To tell whether the conditions leave out nearly all. */
const pilotRead = 2_000;

export interface Counting {
  readonly span: Span;
  /** On the event `t`. */
  readonly conditions: readonly RawBuilder<unknown>[];
  /** Whether they name `t.action` alone, by which events are counted ahead. */
  readonly isCounted: boolean;
  /** Whether one of them is a search without an index, for which each event of the time is read. */
  readonly isSlow?: boolean;
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
    const source = await sourceOf(call, read, counting, null);
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
): Promise<Chart & { readonly values: ReadonlyMap<string, Value[]> }> =>
  readList(call.db, async (read) => {
    const ahead = await hoursAhead(call, read, counting);
    const source = await sourceOf(call, read, counting, ahead);
    const hours = ahead ?? (await countHours(read, source));
    return { hours, values: await topValues(read, source, columns, most), isExact: source.factor === 1 };
  });

const hoursAhead = async ({ db: { dialect } }: Call, read: Query, { isCounted, span, conditions }: Counting) =>
  isCounted ? readHours({ read, dialect }, span, conditions) : null;

async function sourceOf(
  { db: { dialect } }: Call,
  read: Query,
  { span, conditions, isSlow }: Counting,
  hours: HourRow[] | null,
): Promise<EventSource> {
  const total = sumOf(hours ?? (await readHours({ read, dialect }, span, [])));
  // An index has action and time. One on anything else may lead to most events of all times.
  const byTime = hours ? conditions : byWindow(dialect, conditions);
  if (total <= maxRead) return allEvents(dialect, span, byTime);
  const sampled = sampledEvents(dialect, span, byTime, maxRead / total);
  if (hours || isSlow) return sampled;
  const pilot = sumOf(
    await countHours(read, { ...sampledEvents(dialect, span, byTime, pilotRead / total), factor: 1 }),
  );
  // An index leads to what is rare.
  return pilot < pilotRead / 100 ? allEvents(dialect, span, conditions) : sampled;
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
export const saidToBe = ({ isExact }: Pick<Chart, 'isExact'>, body: unknown) =>
  isExact ? body : new ReplyWith(200, body, estimated);
