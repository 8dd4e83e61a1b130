import { sql } from 'kysely';
import type { Query } from '../../platform/db/database.ts';
import type { Call } from '../../resource/call.ts';

const firstWaitMs = 1_000;
const maxWaitMs = 10 * 60 * 1_000;

/** A second, doubled with each failure up to ten minutes, with jitter. */
export const backoffMs = (failures: number): number =>
  Math.min(firstWaitMs * 2 ** Math.min(failures, 20), maxWaitMs) * (0.75 + Math.random() / 2);

/** How many milliseconds to wait before the next request to the target of a provider (back-off). */
export async function pausedFor({ db, now }: Call, provider: number): Promise<number> {
  const { rows } = await sql<{
    wait: number | null;
  }>`select ${db.dialect.millisecondsUntil(sql`paused_until`, now)} as wait
    from sync_targets where provider = ${provider}`.execute(db.read);
  return rows[0]?.wait ?? 0;
}

/** Leaves the target alone, longer with each failure since it last took something. Returns for how long. */
export async function storePause(
  { db, now }: Call,
  tx: Query,
  provider: number,
  { message, atLeastMs }: { message: string; atLeastMs: number },
): Promise<number> {
  const { rows } = await sql<{
    failures: number;
  }>`select failures from sync_targets where provider = ${provider}`.execute(tx);
  const failures = rows[0]?.failures ?? 0;
  const wait = Math.max(backoffMs(failures), atLeastMs);
  await sql`insert into sync_targets (provider, paused_until, failures, message)
    values (${provider}, ${db.dialect.moment(now, wait)}, ${failures + 1}, ${message})
    on conflict (provider) do update set paused_until = excluded.paused_until, failures = excluded.failures,
      message = excluded.message`.execute(tx);
  return wait;
}

/** Resets the failure count: the target accepts requests again, or an administrator has changed its settings. */
export async function clearPause(tx: Query, provider: number): Promise<void> {
  await sql`update sync_targets set paused_until = null, failures = 0, message = ''
    where provider = ${provider} and failures > 0`.execute(tx);
}
