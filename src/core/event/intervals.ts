/** A row of a count by `dialect.timeBucket`. */
export interface BucketRow {
  readonly bucket: string;
  readonly events: number | string;
}

export interface Intervals {
  readonly start: number;
  readonly intervalMs: number;
  readonly count: number;
}

/** Sums counts by hour or day up to longer intervals, oldest first. Buckets outside are left out. */
export function sumIntervals(rows: readonly BucketRow[], { start, intervalMs, count }: Intervals): number[] {
  const sums = new Array<number>(count).fill(0);
  for (const { bucket, events } of rows) {
    const at = Math.floor((Date.parse(`${bucket}Z`) - start) / intervalMs);
    if (at >= 0 && at < count) sums[at] = (sums[at] ?? 0) + Number(events);
  }
  return sums;
}
