import { type RawBuilder, sql } from 'kysely';
import { hourMs } from '../../lib/duration.ts';
import { addMilliseconds, fromTimestamp } from '../../platform/clock.ts';
import type { Call } from '../call.ts';
import { bucketOf, hourOf, latest, readUntil } from '../counted.ts';
import type { CountTable, Listed, Span } from '../counted-rows.ts';
import type { Field } from '../fields/field.ts';
import { orderOf } from '../query.ts';
import type { Resource } from '../resource.ts';

/** So many rows are skipped as fast as their hour is found. */
const fewRows = 2_000;
/** So many hours are added up one by one. */
const fewHours = 48;

type Conditions = readonly RawBuilder<unknown>[];

export interface Part {
  readonly limit: number;
  readonly offset: number;
  readonly isFromEnd: boolean;
}

export interface Start {
  /** Which rows come at or after the start. */
  readonly condition: RawBuilder<unknown>;
  /** How many of these to skip. */
  readonly offset: number;
}

/** Where to begin to read a page far from both ends of a large list. Null if nothing leads there, or if little is skipped anyway. */
export async function startOf(resource: Resource, call: Call, listed: Listed, part: Part): Promise<Start | null> {
  const { counted } = resource;
  const { counted: conditions } = listed;
  if (!counted || !conditions || part.offset < fewRows) return null;
  const order = orderOf(resource, call).join();
  if (isUnique(resource.allFields[order.replace(/^-/, '')])) return startByValue(resource, order, conditions, part);
  return counted.hours && order === `-${counted.time}`
    ? startByHour(resource, call, { time: counted.time, hours: counted.hours }, conditions, part)
    : null;
}

/** Values that may be empty may be empty in many rows. */
const isUnique = (field: Field | undefined) => field?.unique !== undefined && (field.requestSchema?.minLength ?? 0) > 0;

/** At the value of the row that the page begins with: its index has the values, while keys are read from the table for each row that is skipped. */
function startByValue(resource: Resource, order: string, conditions: Conditions, { offset, isFromEnd }: Part): Start {
  const column = resource.row().col(order.replace(/^-/, ''));
  const isDescending = order.startsWith('-') !== isFromEnd;
  const where = conditions.length > 0 ? sql`where ${sql.join(conditions, sql` and `)}` : sql``;
  const first = sql`(select ${column} from ${resource.from()} ${where}
    order by ${column} ${isDescending ? sql`desc` : sql`asc`} limit 1 offset (select cast(${offset} as integer)))`;
  return { condition: isDescending ? sql`${column} <= ${first}` : sql`${column} >= ${first}`, offset: 0 };
}

/** At the hour that it begins in, by the counts by hour, in a list with the newest first: only rows of this hour are skipped. */
async function startByHour(
  resource: Resource,
  call: Call,
  counted: { readonly time: string; readonly hours: CountTable },
  conditions: Conditions,
  { offset, isFromEnd }: Part,
): Promise<Start | null> {
  const { read } = call.db;
  const time = resource.row().col(counted.time);
  const direction = isFromEnd ? sql`asc` : sql`desc`;
  const end = hourOf(await readUntil(read, counted.hours));
  const newer = isFromEnd ? 0 : await countNewer();
  if (offset < newer) return null;
  const { span, left } = await halve(offset - newer);
  const { rows } = await sql<{ hour: string; skipped: number | string }>`select hour, skipped from (
    select t.hour, sum(t.count) as rows, sum(sum(t.count)) over (order by t.hour ${direction}) - sum(t.count) as skipped
      from ${countsOf(span)} group by t.hour) as hours
    where skipped + rows > ${left} order by skipped limit 1`.execute(read);
  const [found] = rows;
  if (!found) return null;
  const hour = `${found.hour}:00.000000Z`;
  return {
    condition: isFromEnd ? sql`${time} >= ${hour}` : sql`${time} < ${addMilliseconds(hour, hourMs)}`,
    offset: left - Number(found.skipped),
  };

  function countsOf({ since, before }: Span): RawBuilder<unknown> {
    const isWithin = [sql`t.hour >= ${bucketOf(since)}`, sql`t.hour < ${bucketOf(before)}`];
    return sql`${sql.table(counted.hours.table)} as t where ${sql.join([...isWithin, ...conditions], sql` and `)}`;
  }

  /** The few hours that the row is in, and how many of their rows come before it. A sum of half the hours takes far less than one for each. */
  async function halve(skipped: number): Promise<{ span: Span; left: number }> {
    const { rows } = await sql<{ first: string | null }>`select min(hour) as first
      from ${sql.table(counted.hours.table)}`.execute(read);
    let span: Span = { since: rows[0]?.first ? `${rows[0].first}:00.000000Z` : end, before: end };
    let left = skipped;
    for (let hours = hoursIn(span); hours > fewHours; hours = hoursIn(span)) {
      const middle = addMilliseconds(span.since, Math.floor(hours / 2) * hourMs);
      const [older, newer] = [
        { ...span, before: middle },
        { ...span, since: middle },
      ];
      const [near, far] = isFromEnd ? [older, newer] : [newer, older];
      const { rows } = await sql<{
        rows: number | string | null;
      }>`select sum(t.count) as rows from ${countsOf(near)}`.execute(read);
      const inNear = Number(rows[0]?.rows ?? 0);
      span = left < inNear ? near : far;
      if (span === far) left -= inNear;
    }
    return { span, left };
  }

  async function countNewer(): Promise<number> {
    const where = sql.join([sql`${time} >= ${end} and ${time} <= ${latest}`, ...conditions], sql` and `);
    const { rows } = await sql<{ rows: number | string }>`select count(*) as rows from (select 1 from ${resource.from()}
      where ${where} limit ${offset + 1}) as newer`.execute(read);
    return Number(rows[0]?.rows ?? 0);
  }
}

const hoursIn = ({ since, before }: Span) =>
  (fromTimestamp(before).getTime() - fromTimestamp(since).getTime()) / hourMs;
