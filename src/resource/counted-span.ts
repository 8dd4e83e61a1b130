import { sql } from 'kysely';
import { hourMs } from '../lib/duration.ts';
import { addMilliseconds, parseTimestamp } from '../platform/clock.ts';
import type { Call } from './call.ts';
import { bucketOf, hourOf, isCountedBy, latest, readUntil } from './counted.ts';
import type { Span } from './counted-rows.ts';
import { filterConditions } from './query.ts';
import type { Registry, Resource } from './resource.ts';

const earliest = '0001-01-01T00:00:00.000000Z';

/** The whole hours of a time that are in the counts by hour; null if there is none. */
export function wholeHours({ since, before }: Span, until: string): Span | null {
  const first = hourOf(since) === since ? since : addMilliseconds(hourOf(since), hourMs);
  const end = [hourOf(until), hourOf(before)].sort()[0] ?? '';
  return end > first ? { since: first, before: end } : null;
}

/** Counts the rows of a time by hour, if the filters name nothing else but columns that rows are counted by; otherwise null. */
export async function countOfTime(resource: Resource, call: Call, registry: Registry): Promise<number | null> {
  const { hours, spanFilters } = resource.counted ?? {};
  if (!hours || !spanFilters) return null;
  const query = new URLSearchParams(call.request.query);
  const [since = earliest, before = latest] = spanFilters.map((name) => givenMoment(query, name));
  for (const name of spanFilters) query.delete(name);
  if (!isCountedBy(resource, query)) return null;
  const { read } = call.db;
  const whole = wholeHours({ since, before }, await readUntil(read, hours));
  if (!whole) return null;
  const others = await filterConditions(resource, { ...call, request: { ...call.request, query } }, registry);
  const time = resource.row().col(hours.time);
  const counted = [sql`t.hour >= ${bucketOf(whole.since)}`, sql`t.hour < ${bucketOf(whole.before)}`, ...others];
  const within = (from: string, to: string) =>
    sql`(select count(*) from ${resource.from()} where ${sql.join([sql`${time} >= ${from}`, sql`${time} < ${to}`, ...others], sql` and `)})`;
  const { rows } = await sql<{
    count: number | string;
  }>`select ${within(since, whole.since)} + ${within(whole.before, before)}
    + (select coalesce(sum(t.count), 0) from ${sql.table(hours.table)} as t where ${sql.join(counted, sql` and `)}) as count`.execute(
    read,
  );
  return Number(rows[0]?.count ?? 0);
}

/** As filters read it: the last that is given. */
export const givenMoment = (query: URLSearchParams, name: string): string | undefined =>
  readMoment(
    query
      .getAll(name)
      .map((text) => text.trim())
      .filter(Boolean)
      .at(-1),
  ) ?? undefined;

/** A plus sign in a query is a space. */
export const readMoment = (text = ''): string | null => parseTimestamp(text.replace(' ', '+'));
