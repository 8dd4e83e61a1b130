import { sql } from 'kysely';
import { chunksOf } from '../../lib/chunks.ts';
import { hourMs } from '../../lib/duration.ts';
import { addMilliseconds } from '../../platform/clock.ts';
import type { Database, Query } from '../../platform/db/database.ts';
import { readList } from '../../platform/db/read-list.ts';
import type { JobKind } from '../../platform/jobs/job.ts';
import { bucketOf, dayOf, hourOf, isWithin, type RollupRow, rollupColumns, type Span } from './rollup.ts';

const dayMs = 24 * hourMs;
const everyMs = 600_000;
/** Events get their time before their transaction ends. */
const settledAfterMs = 600_000;
const rowsPerStatement = 200;

interface Dependencies {
  readonly db: Database;
  readonly clock: { now(): string };
}

/** Keeps `event_rollup`. */
export const rollupJobs = ({ db, clock }: Dependencies): JobKind[] => [
  {
    name: 'roll_up_events',
    summary: 'Count the events of hours that are over, for charts.',
    oneAtATime: true,
    everyMs,
    async run({ signal }) {
      await rollUpEvents(db, clock.now(), signal);
      return 'Done.';
    },
  },
  {
    name: 'recount_events',
    summary: 'Count the events of each day again, as some have been deleted since.',
    oneAtATime: true,
    everyMs: dayMs,
    async run({ signal }) {
      const days = await recountEvents(db, signal);
      return days === 0 ? 'Nothing to do.' : `The counts of ${days} days have changed.`;
    },
  },
];

/** Adds the hours that are over, a day at a time. */
export async function rollUpEvents(db: Database, now: string, signal?: AbortSignal): Promise<void> {
  const end = hourOf(addMilliseconds(now, -settledAfterMs));
  for (let until = await readUntil(db.read); until < end && !signal?.aborted; ) {
    const { rows } = await sql<{ next: string | null }>`select min(created) as next from events
      where created >= ${until} and created < ${end}`.execute(db.read);
    const next = rows[0]?.next;
    if (!next) return db.write((tx) => setUntil(tx, end));
    const since = hourOf(next) > until ? hourOf(next) : until;
    const dayEnd = addMilliseconds(dayOf(since), dayMs);
    const before = dayEnd < end ? dayEnd : end;
    const day = await countDay(db, { since: dayOf(since), before });
    await db.write(async (tx) => {
      await replaceDay(tx, dayOf(since), day, before === dayEnd);
      await setUntil(tx, before);
    });
    until = before;
  }
}

/** Corrects the days of which events were changed or deleted. Returns how many there were. */
export async function recountEvents(db: Database, signal?: AbortSignal): Promise<number> {
  const until = await readUntil(db.read);
  const { rows } = await sql<{ stored: string | null; created: string | null }>`select
    (select min(start) from event_rollup) as stored, (select min(created) from events) as created`.execute(db.read);
  const [first] = [rows[0]?.stored, rows[0]?.created].filter((start) => typeof start === 'string').sort();
  if (!first) return 0;
  let changed = 0;
  for (let day = dayOf(first); day < until && !signal?.aborted; day = addMilliseconds(day, dayMs)) {
    const dayEnd = addMilliseconds(day, dayMs);
    const before = dayEnd < until ? dayEnd : until;
    const counted = await countDay(db, { since: day, before });
    if (isSame(counted, await storedDay(db.read, day, dayEnd))) continue;
    changed += 1;
    await db.write((tx) => replaceDay(tx, day, counted, before === dayEnd));
  }
  return changed;
}

const countDay = (db: Database, span: Span): Promise<RollupRow[]> =>
  readList(db, async (read) => {
    const { rows } = await sql<RollupRow>`select bucket, action, authorized_app, count(*) as events
      from (select ${rollupColumns(db.dialect)} from events as t where ${isWithin(span)}) as found
      group by 1, 2, 3`.execute(read);
    return rows;
  });

async function storedDay(read: Query, day: string, dayEnd: string): Promise<RollupRow[]> {
  const { rows } = await sql<RollupRow>`select start as bucket, action, authorized_app, events from event_rollup
    where unit = 'hour' and start >= ${bucketOf(day)} and start < ${bucketOf(dayEnd)}`.execute(read);
  return rows;
}

function isSame(one: readonly RollupRow[], other: readonly RollupRow[]): boolean {
  const textsOf = (rows: readonly RollupRow[]) =>
    rows.map(({ bucket, action, authorized_app, events }) => `${bucket} ${action} ${authorized_app} ${events}`).sort();
  return textsOf(one).join('\n') === textsOf(other).join('\n');
}

/** `isOver`: whether its sum by day is complete too. */
async function replaceDay(tx: Query, day: string, hours: readonly RollupRow[], isOver: boolean): Promise<void> {
  const start = bucketOf(day);
  const end = bucketOf(addMilliseconds(day, dayMs));
  await sql`delete from event_rollup where unit in ('hour', 'day') and start >= ${start} and start < ${end}`.execute(
    tx,
  );
  const sums = new Map<string, RollupRow>();
  for (const { action, authorized_app, events } of isOver ? hours : []) {
    const key = JSON.stringify([action, authorized_app]);
    const sum = (sums.get(key)?.events ?? 0) + Number(events);
    sums.set(key, { bucket: start, action, authorized_app, events: sum });
  }
  const values = ({ bucket, action, authorized_app, events }: RollupRow, unit: string) =>
    sql`(${unit}, ${bucket}, ${action}, ${authorized_app}, ${events})`;
  const all = [...hours.map((row) => values(row, 'hour')), ...[...sums.values()].map((row) => values(row, 'day'))];
  for (const some of chunksOf(all, rowsPerStatement))
    await sql`insert into event_rollup (unit, start, action, authorized_app, events) values ${sql.join(some)}`.execute(
      tx,
    );
}

async function readUntil(read: Query): Promise<string> {
  const { rows } = await sql<{ until: string }>`select until from event_rollup_state`.execute(read);
  return rows[0]?.until ?? '';
}

const setUntil = async (tx: Query, until: string) =>
  void (await sql`update event_rollup_state set until = ${until}`.execute(tx));
