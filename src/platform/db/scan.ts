import { setImmediate as loopTurn } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import { errorFacts } from '../../lib/error-facts.ts';
import type { Query } from './database.ts';
import type { Dialect, ScanLimits, Slice } from './dialect.ts';
import { runLast, runLater } from './later.ts';

/** A condition that no index serves, on a table of perhaps millions of rows. */
export interface Scan {
  readonly read: Query;
  readonly dialect: Dialect;
  readonly table: string;
  /** The condition on the row `t`, as far as it concerns a slice. */
  where(slice?: Slice): RawBuilder<unknown>;
}

export interface RowCount {
  readonly rows: number;
  /** False if counting takes too long, so that the number is an estimate. */
  readonly isExact: boolean;
}

export type Key = string | number;

/** A few milliseconds for SQLite. */
const rowsPerSlice = 5_000;
/** Longer than it takes to count a million users. */
const countWithinMs = 5_000;
/** Before a scan is tried instead. */
const quicklyMs = 500;
const sampleRows = 20_000;

/** The keys of all rows that a scan finds; null if they are more than `most`. */
export async function findKeys(scan: Scan, most: number): Promise<Key[] | null> {
  const keys: Key[] = [];
  for await (const { from } of partsOf(scan)) {
    const limit = most + 1 - keys.length;
    const { rows } = await sql<{ pk: Key }>`select t.pk from ${from} limit ${limit}`.execute(scan.read);
    for (const { pk } of rows) keys.push(pk);
    if (keys.length > most) return null;
  }
  return keys;
}

/** Counts rows by a condition that an index may serve; null if it takes too long. */
export async function countQuickly(scan: Scan, where: RawBuilder<unknown>): Promise<RowCount | null> {
  const { scans } = scan.dialect;
  const rows = scans.by === 'time' ? await countWithin(scan, scans, where, quicklyMs) : null;
  return rows === null ? null : { rows, isExact: true };
}

/** Counts what a scan finds, or estimates it after some seconds. */
export async function countFound(
  scan: Scan,
  total: () => Promise<number>,
  withinMs = countWithinMs,
): Promise<RowCount> {
  const { scans } = scan.dialect;
  if (scans.by === 'slices') return countSlices(scan, withinMs);
  const rows = await countWithin(scan, scans, scan.where(), withinMs);
  return rows === null ? { rows: await sample(scan, scans, await total()), isExact: false } : { rows, isExact: true };
}

interface Part {
  readonly from: RawBuilder<unknown>;
  /** How much of the table is done with this part. */
  readonly share: number;
}

async function* partsOf({ read, dialect: { scans }, table, where }: Scan): AsyncGenerator<Part> {
  if (scans.by === 'time') {
    yield { from: sql`${sql.table(table)} as t where ${where()}`, share: 1 };
    return;
  }
  const { rows } = await scans.bounds(table).execute(read);
  const first = rows[0]?.first ?? 1;
  const last = rows[0]?.last ?? 0;
  for (let after = first - 1; after < last; after += rowsPerSlice) {
    const slice = { after, upTo: after + rowsPerSlice };
    yield {
      from: sql`${scans.from(table, 't')} where ${scans.within('t', slice)} and ${where(slice)}`,
      share: Math.min(1, (slice.upTo - first + 1) / (last - first + 1)),
    };
    // Others are served in between.
    await loopTurn();
  }
}

async function countSlices(scan: Scan, withinMs: number): Promise<RowCount> {
  const end = performance.now() + withinMs;
  let count = 0;
  for await (const { from, share } of partsOf(scan)) {
    const { rows } = await sql<{ count: number }>`select count(*) as count from ${from}`.execute(scan.read);
    count += rows[0]?.count ?? 0;
    if (share < 1 && performance.now() > end) return { rows: Math.round(count / share), isExact: false };
  }
  return { rows: count, isExact: true };
}

/** Null if it takes longer. */
async function countWithin(
  { read, table }: Scan,
  { limit }: ScanLimits,
  where: RawBuilder<unknown>,
  milliseconds: number,
): Promise<number | null> {
  try {
    return await read.transaction().execute(async (tx) => {
      await runLater(tx, limit(milliseconds));
      const counting = sql<{
        count: number | string;
      }>`select count(*) as count from ${sql.table(table)} as t where ${where}`;
      const { rows } = await runLast(tx, counting);
      return Number(rows[0]?.count ?? 0);
    });
  } catch (error) {
    if (tookTooLong(error)) return null;
    throw error;
  }
}

/** From the share of matches among some rows. */
async function sample({ read, table, where }: Scan, scans: ScanLimits, total: number): Promise<number> {
  const percent = Math.min(100, (100 * sampleRows) / Math.max(1, total));
  const { rows } = await sql<{ found: number | string; seen: number | string }>`select count(*) as seen,
    count(*) filter (where ${where()}) as found from ${scans.sample(table, 't', percent)}`.execute(read);
  const { found = 0, seen = 0 } = rows[0] ?? {};
  return Math.round((total * Number(found)) / Math.max(1, Number(seen)));
}

/** Whether PostgreSQL has ended a statement because of its time limit. */
export const tookTooLong = (error: unknown): boolean => errorFacts(error).code === '57014';
