import { sql } from 'kysely';
import { chunksOf } from '../../lib/chunks.ts';
import type { Database } from '../../platform/db/database.ts';
import { isUnreachable } from '../../platform/db/unreachable.ts';
import type { JobKind } from '../../platform/jobs/job.ts';
import { countedUntil } from '../../resource/counted.ts';
import type { CountTable } from '../../resource/counted-rows.ts';
import type { Registry, Resource } from '../../resource/resource.ts';

const everyMs = 600_000;
/** Triggers look at rows that are older than five minutes (`0037-counts.ts`), so younger ones are not counted. */
const oldEnoughMs = 600_000;
/** Writers of the table wait meanwhile. */
const rowsAtATime = 50_000;
/** Rows that repeat the values of another or count nothing; more would take noticeable time to add up. */
const manyNeedless = 200;
const rowsPerStatement = 200;

interface Needs {
  readonly db: Database;
  readonly clock: { now(): string };
  registry(): Registry;
}

/** Counts rows of large tables ahead, so that lists and charts need not. */
export function countRowsJob({ db, clock, registry }: Needs): JobKind {
  return {
    name: 'count_rows',
    summary: 'Count old rows of large tables, so that lists and charts of them stay fast.',
    oneAtATime: true,
    everyMs,
    async run({ signal }) {
      try {
        for (const resource of registry().resources) await countRows(db, resource, clock.now(), signal);
        return 'Done.';
      } catch (error) {
        if (!isUnreachable(error)) throw error;
        return 'The table was in use; its rows will be counted the next time.';
      }
    },
  };
}

/** Brings all counts of a resource up to date. */
export async function countRows(
  db: Database,
  { table, counted }: Resource,
  now: string,
  signal?: AbortSignal,
): Promise<void> {
  for (const counts of counted ? [counted, ...(counted.also ?? [])] : []) {
    while (!signal?.aborted && (await countSome(db, table, counts, now))) {
      // Writers had their turn.
    }
    await mergeRepeated(db, table, counts);
  }
}

/** Counts the oldest rows that are in no count yet. Returns whether there may be more. */
async function countSome(db: Database, table: string, counts: CountTable, now: string): Promise<boolean> {
  const time = sql.ref(counts.time);
  const limit = db.dialect.moment(now, -oldEnoughMs);
  const isNext = sql`${time} >= ${countedUntil(counts)} and ${time} < ${limit}`;
  const { rows: some } = await sql`select 1 from ${sql.table(table)} where ${isNext} limit 1`.execute(db.read);
  if (some.length === 0) return false;
  return db.write(async (tx) => {
    for (const lock of db.dialect.keepWritersOut(table)) await lock.execute(tx);
    const { rows: found } = await sql<{ until: string }>`select ${time} as until from ${sql.table(table)}
      where ${isNext} order by ${time} limit 1 offset ${rowsAtATime}`.execute(tx);
    const { rows: moment } = await sql<{ until: string; start: string }>`select ${limit} as until,
      ${countedUntil(counts)} as start`.execute(tx);
    const { until: last = now, start = now } = moment[0] ?? {};
    // Rows of one moment are counted together, however many.
    const next = found[0] && found[0].until > start ? found[0].until : last;
    const values = counts.values?.(db.dialect) ?? {};
    const columns = counts.by.map((name) => values[name] ?? sql.ref(name));
    await sql`insert into ${sql.table(counts.table)} (${names(counts)}, count)
      select ${sql.join(columns)}, count(*) from ${sql.table(table)}
      where ${time} >= ${start} and ${time} < ${next} and ${counts.where ?? sql`true`}
      group by ${sql.join(columns.map((_, at) => sql.lit(at + 1)))}`.execute(tx);
    await sql`update counted_until set until = ${next} where pk = ${counts.until}`.execute(tx);
    return next !== last;
  });
}

/** Puts one count in the place of several of the same values. */
async function mergeRepeated(db: Database, table: string, counts: CountTable): Promise<void> {
  const into = sql.table(counts.table);
  const columns = names(counts);
  const repeated = sql`from ${into} group by ${columns} having count(*) > 1 or sum(count) = 0`;
  const { rows } = await sql<{ needless: number | string | null }>`select sum(needless) as needless from (
    select case when sum(count) = 0 then count(*) else count(*) - 1 end as needless ${repeated}) as counts`.execute(
    db.read,
  );
  if (Number(rows[0]?.needless) < manyNeedless) return;
  await db.write(async (tx) => {
    for (const lock of db.dialect.keepWritersOut(table)) await lock.execute(tx);
    const { rows: found } = await sql<Record<string, unknown>>`select ${columns}, sum(count) as count
      ${repeated}`.execute(tx);
    await sql`delete from ${into} where (${columns}) in (select ${columns} ${repeated})`.execute(tx);
    const sums = found.filter(({ count }) => Number(count) !== 0);
    for (const some of chunksOf(sums, rowsPerStatement)) {
      const values = some.map((sum) => sql`(${sql.join([...counts.by, 'count'].map((name) => sum[name]))})`);
      await sql`insert into ${into} (${columns}, count) values ${sql.join(values)}`.execute(tx);
    }
  });
}

const names = ({ by }: CountTable) => sql.join(by.map((name) => sql.ref(name)));
