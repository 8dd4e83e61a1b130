import { sql } from 'kysely';
import type { Database, Query } from '../../platform/db/database.ts';
import { isUnreachable } from '../../platform/db/unreachable.ts';
import type { JobKind } from '../../platform/jobs/job.ts';
import { countedUntil } from '../../resource/counted.ts';
import type { Counted } from '../../resource/counted-rows.ts';
import type { Registry } from '../../resource/resource.ts';

const everyMs = 600_000;
/** Triggers look at rows that are older than five minutes (`0037-counts.ts`), so younger ones are not counted. */
const oldEnoughMs = 600_000;
/** Writers of the table wait meanwhile. */
const rowsAtATime = 50_000;
/** Triggers add rows; beyond so many, adding them up takes noticeable time. */
const manyCounts = 500;
const rowsPerStatement = 200;

interface Needs {
  readonly db: Database;
  readonly clock: { now(): string };
  registry(): Registry;
}

/** Counts rows of large tables ahead, so that lists need not. */
export function countRowsJob({ db, clock, registry }: Needs): JobKind {
  return {
    name: 'count_rows',
    summary: 'Count old rows of large tables, so that lists of them stay fast.',
    oneAtATime: true,
    everyMs,
    async run({ signal }) {
      try {
        for (const { table, counted } of registry().resources) {
          if (!counted) continue;
          while (!signal.aborted && (await countSome(db, table, counted, clock.now()))) {
            // Writers had their turn.
          }
        }
        return 'Done.';
      } catch (error) {
        if (!isUnreachable(error)) throw error;
        return 'The table was in use; its rows will be counted the next time.';
      }
    },
  };
}

/** Counts the oldest rows that are in no count yet. Returns whether there may be more. */
export async function countSome(db: Database, table: string, counted: Counted, now: string): Promise<boolean> {
  const time = sql.ref(counted.time);
  const limit = db.dialect.moment(now, -oldEnoughMs);
  const isNext = sql`${time} >= ${countedUntil(table)} and ${time} < ${limit}`;
  const { rows: some } = await sql`select 1 from ${sql.table(table)} where ${isNext} limit 1`.execute(db.read);
  const { rows: counts } = await sql`select 1 from ${sql.table(counted.table)} limit ${manyCounts}`.execute(db.read);
  if (some.length === 0 && counts.length < manyCounts) return false;
  return db.write(async (tx) => {
    for (const lock of db.dialect.keepWritersOut(table)) await lock.execute(tx);
    const { rows: found } = await sql<{ until: string }>`select ${time} as until from ${sql.table(table)}
      where ${isNext} order by ${time} limit 1 offset ${rowsAtATime}`.execute(tx);
    const { rows: moment } = await sql<{ until: string; start: string }>`select ${limit} as until,
      ${countedUntil(table)} as start`.execute(tx);
    const { until: last = now, start = now } = moment[0] ?? {};
    // Rows of one moment are counted together, however many.
    const next = found[0] && found[0].until > start ? found[0].until : last;
    await addUp(tx, counted, sql`select * from ${sql.table(table)} where ${time} >= ${start} and ${time} < ${next}`);
    await sql`update counted_until set until = ${next} where pk = ${table}`.execute(tx);
    return next !== last;
  });
}

/** Puts these rows into the counts, and one count for each combination of values in the place of many. */
async function addUp(tx: Query, { table, by }: Counted, rows: ReturnType<typeof sql>): Promise<void> {
  const columns = sql.join(by.map((name) => sql.ref(name)));
  const { rows: sums } = await sql<Record<string, unknown>>`select ${columns}, sum(count) as count from (
      select ${columns}, count from ${sql.table(table)}
      union all select ${columns}, count(*) as count from (${rows}) as added group by ${columns}) as counts
    group by ${columns} having sum(count) <> 0`.execute(tx);
  await sql`delete from ${sql.table(table)}`.execute(tx);
  for (let from = 0; from < sums.length; from += rowsPerStatement) {
    const some = sums.slice(from, from + rowsPerStatement);
    const values = some.map((sum) => sql`(${sql.join([...by, 'count'].map((name) => sum[name]))})`);
    await sql`insert into ${sql.table(table)} (${columns}, count) values ${sql.join(values)}`.execute(tx);
  }
}
