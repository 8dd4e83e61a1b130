import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { addMilliseconds } from '../../src/platform/clock.ts';
import type { TestServer } from './server.ts';

export interface StoredJob {
  readonly kind: string;
  readonly state: string;
  readonly attempt: number;
  readonly message: string;
}

/** Waits for something that jobs bring about. */
export async function until(condition: () => boolean | Promise<boolean>, seconds = 60): Promise<void> {
  const intervalMs = 15;
  // Counts its own waiting, not the time: a pause of the machine uses none of it up.
  for (let waitedMs = 0; !(await condition()); waitedMs += intervalMs) {
    if (waitedMs > seconds * 1_000) throw new Error(`it did not come to pass within ${seconds} seconds`);
    await sleep(intervalMs);
  }
}

export async function jobsOf({ world }: TestServer, kind: string): Promise<StoredJob[]> {
  const { rows } =
    await sql<StoredJob>`select kind, state, attempt, message from jobs where kind = ${kind} order by created`.execute(
      world.db.read,
    );
  return rows;
}

/** A job that failed now and is not tried again. */
export async function addFailedJob({ world }: TestServer, kind: string, message: string): Promise<void> {
  const now = world.clock.now();
  await world.db.write((tx) =>
    sql`insert into jobs (pk, kind, payload, state, run_at, attempt, created, finished, message)
      values (${crypto.randomUUID()}, ${kind}, '{}', 'failed', ${now}, 1, ${now}, ${now}, ${message})`.execute(tx),
  );
}

/** Has a job of this kind done now; returns how it ended. */
export async function runJob(server: TestServer, kind: string, payload: unknown = null): Promise<StoredJob> {
  const { db } = server.world;
  const { rows } = await sql<{ pk: string }>`select pk from jobs`.execute(db.read);
  const known = new Set(rows.map(({ pk }) => pk));
  await db.write((tx) => server.app.jobs.enqueue(tx, { kind, payload }));
  let ended: StoredJob | undefined;
  await until(async () => {
    const found = await sql<StoredJob & { pk: string }>`select pk, kind, state, attempt, message from jobs
      where kind = ${kind} and state in ('done', 'warned', 'failed')`.execute(db.read);
    ended = found.rows.find(({ pk }) => !known.has(pk));
    return ended !== undefined;
  });
  return ended as StoredJob;
}

/** Waits until nothing is queued that is due, nothing runs, and the rules were asked about every event. */
export async function quiet({ world }: TestServer): Promise<void> {
  await until(async () => {
    // What is queued between asking for the time and looking is due as well.
    const soon = addMilliseconds(world.clock.now(), 1_000);
    const { rows } = await sql`select 1 as found from jobs
      where state = 'running' or (state = 'queued' and run_at <= ${soon})
      union all select 1 as found from unmatched_events`.execute(world.db.read);
    return rows.length === 0;
  });
}
