import { setImmediate as loopTurn } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import { errorFacts } from '../../lib/error-facts.ts';
import type { Query } from './database.ts';
import type { Dialect, ScanLimits, Slices } from './dialect.ts';

/** A condition that no index serves, on a table of perhaps millions of rows. */
export interface Scan {
  readonly read: Query;
  readonly dialect: Dialect;
  readonly table: string;
  /** The condition on the row `t`. */
  where(): RawBuilder<unknown>;
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
export const sampleRows = 20_000;
const sampleSliceCount = 50;

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

/** The same by a condition that an index may serve; null also if it takes too long. */
export async function findKeysQuickly(scan: Scan, most: number): Promise<Key[] | null> {
  const { scans, jsonValues } = scan.dialect;
  if (scans.by !== 'time') return null;
  // More are counted and not sent.
  const finding = sql<{ keys: string | null }>`with found as materialized (
      select t.pk from ${sql.table(scan.table)} as t where ${scan.where()} limit ${most + 1})
    select case when (select count(*) from found) <= ${most} then ${jsonValues(sql`select pk from found`, 'pk')} end as keys`;
  const rows = await within(scan, scans, finding, quicklyMs);
  const keys = rows?.[0]?.keys;
  return keys ? JSON.parse(keys) : null;
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
  if (rows !== null) return { rows, isExact: true };
  const all = await total();
  return { rows: estimateFrom(await sample(scan, all), all), isExact: false };
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
      from: sql`${scans.from(table, 't')} where ${scans.within('t', slice)} and ${where()}`,
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

async function countWithin(
  scan: Scan,
  limits: ScanLimits,
  where: RawBuilder<unknown>,
  milliseconds: number,
): Promise<number | null> {
  const counting = sql<{ count: number | string }>`select count(*) as count
    from (select 1 from ${sql.table(scan.table)} as t where ${where}) as found`;
  const rows = await within(scan, limits, counting, milliseconds);
  return rows && Number(rows[0]?.count ?? 0);
}

/** Null if it takes longer. */
async function within<Row>(
  { read }: Scan,
  { limit }: ScanLimits,
  query: RawBuilder<Row>,
  milliseconds: number,
): Promise<Row[] | null> {
  try {
    return await read.transaction().execute(async (tx) => {
      await limit(milliseconds).execute(tx);
      return (await query.execute(tx)).rows;
    });
  } catch (error) {
    if (tookTooLong(error)) return null;
    throw error;
  }
}

export interface Sample {
  readonly found: number;
  readonly seen: number;
}

/** Looks at some rows of a table with so many, spread over it: the more slices, the better for a condition on something that neighbours share, such as their time. */
export async function sample(scan: Scan, total: number, rows = sampleRows, slices = sampleSliceCount): Promise<Sample> {
  const { scans } = scan.dialect;
  if (scans.by === 'slices') return sampleSlices(scan, scans, total, { rows, slices });
  const percent = Math.min(100, (100 * rows) / Math.max(1, total));
  return countIn(scan, scans.sample(scan.table, 't', percent));
}

export const estimateFrom = ({ found, seen }: Sample, total: number): number =>
  Math.round((total * found) / Math.max(1, seen));

async function sampleSlices(
  scan: Scan,
  scans: Slices,
  total: number,
  most: { readonly rows: number; readonly slices: number },
): Promise<Sample> {
  const { rows } = await scans.bounds(scan.table).execute(scan.read);
  const first = rows[0]?.first ?? 1;
  const part = ((rows[0]?.last ?? 0) - first + 1) / most.slices;
  const size = Math.ceil(Math.min(part, (part * most.rows) / Math.max(1, total)));
  const slices = Array.from({ length: most.slices }, (_, at) => {
    const after = Math.floor(first + part * at) - 1;
    return { after, upTo: after + size };
  });
  // By one statement: what a condition looks up elsewhere is looked up once.
  return countIn(scan, scans.withinAny(scan.table, 't', slices));
}

async function countIn({ read, where }: Scan, from: RawBuilder<unknown>): Promise<Sample> {
  const { rows } = await sql<{ found: number | string; seen: number | string }>`select count(*) as seen,
    count(*) filter (where ${where()}) as found from ${from}`.execute(read);
  const { found = 0, seen = 0 } = rows[0] ?? {};
  return { found: Number(found), seen: Number(seen) };
}

/** Whether PostgreSQL has ended a statement because of its time limit. */
export const tookTooLong = (error: unknown): boolean => errorFacts(error).code === '57014';
