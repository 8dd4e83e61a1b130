import { sql } from 'kysely';
import { networkOf } from '../../lib/cidr.ts';
import { addMilliseconds } from '../../platform/clock.ts';
import { type Query, Rollback } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/statement.ts';
import type { InstanceKey } from '../../platform/keys.ts';
import type { Call } from '../../resource/call.ts';

/** Who tries, and from where. */
export interface Attempt {
  /**
   * The name that was typed; the user's key where none was. A browser that its user has signed in with before is counted by
   * itself. Second factors have a count of their own, which a right password does not clear: whoever knows the password could
   * guess for ever.
   */
  readonly who: number | string | { readonly secondFactorOf: number } | { readonly knownBrowser: string };
  readonly ip: string;
  readonly now: string;
}

/** How many turns cost nothing; each one after doubles the wait. */
interface Pace {
  readonly free: number;
  readonly minWaitMs: number;
}

const guesses = { ofUser: { free: 10, minWaitMs: 2_000 }, ofAddress: { free: 200, minWaitMs: 2_000 } };
const messages = { ofUser: { free: 2, minWaitMs: 60_000 }, ofAddress: { free: 60, minWaitMs: 60_000 } };
const maxWaitMs = 15 * 60_000;
/** Blocked until then: not at all. Not the attempt's own moment, which others that began earlier would have to wait for. */
const longAgo = '1970-01-01T00:00:00.000000Z';
/** The count resets after this long without an attempt. */
const forgottenAfterMs = 24 * 3_600_000;

/**
 * Counts an attempt before anything is looked at or hashed, and says whether it may go on: false, or what `look` finds in the
 * same transaction. The count is taken in one statement per subject, so that of any number of attempts at once no more get
 * through than one after the other would.
 */
export async function claimAttempt<T extends object | true = true>(
  { db, world }: Pick<Call, 'db' | 'world'>,
  key: Pick<InstanceKey, 'hash'>,
  attempt: Attempt,
  // Callers without `look` leave T at `true`.
  look: (tx: Query) => Promise<T> = async () => true as T,
): Promise<T | false> {
  try {
    return await db.write(async (tx) => {
      await world.makeRoom('sign_in_attempts', tx);
      const isFree =
        (await count(tx, userOf(key, attempt), guesses.ofUser, attempt.now)) &&
        (await count(tx, addressOf(key, attempt), guesses.ofAddress, attempt.now));
      // What is not looked at is not counted: else an address that has to wait could still make users wait.
      if (!isFree) throw new Rollback(false);
      return await look(tx);
    }, notDurable);
  } catch (error) {
    if (error instanceof Rollback) return false;
    throw error;
  }
}

/** Nobody who guesses can cut the power, and after a restart the counts are there. */
const notDurable = { durable: false } as const;

/** After a success: resets the user's count and refunds this attempt to the address. */
export async function forgiveAttempt(tx: Query, key: Pick<InstanceKey, 'hash'>, attempt: Attempt): Promise<void> {
  await forget(tx, userOf(key, attempt));
  await giveBack(tx, addressOf(key, attempt));
}

const forget = statement<[subject: string], unknown>(
  (subject) => sql`delete from sign_in_attempts where subject = ${subject}`,
);

const giveBack = statement<[subject: string], unknown>(
  (subject) => sql`update sign_in_attempts set failures = failures - 1 where subject = ${subject} and failures > 0`,
);

/**
 * Counts a message that somebody wants sent, apart from attempts to sign in: nobody's mailbox is filled by others. False
 * while they have to wait; the transaction must then be given up.
 */
export async function claimMessage(
  tx: Query,
  { world }: Pick<Call, 'world'>,
  key: Pick<InstanceKey, 'hash'>,
  { who, ip, now }: { readonly who: number | string; readonly ip: string; readonly now: string },
): Promise<boolean> {
  await world.makeRoom('sign_in_attempts', tx);
  const to = typeof who === 'number' ? `messages:user:${who}` : `messages:name:${who.toLowerCase()}`;
  return (
    (await count(tx, key.hash(to), messages.ofUser, now)) &&
    (await count(tx, key.hash(`messages:address:${networkOf(ip)}`), messages.ofAddress, now))
  );
}

/** False while the subject must wait; attempts are not counted then, or the wait would never end. */
async function count(tx: Query, subject: string, { free, minWaitMs }: Pace, now: string): Promise<boolean> {
  const [counted] = await countOne(tx, subject, now, addMilliseconds(now, forgottenAfterMs));
  const failures = counted?.failures;
  if (failures === undefined) return false;
  if (failures > free) {
    const waitMs = Math.min(minWaitMs * 2 ** Math.min(failures - free - 1, 20), maxWaitMs);
    await sql`update sign_in_attempts set blocked_until = ${addMilliseconds(now, waitMs)}
      where subject = ${subject}`.execute(tx);
  }
  return true;
}

const countOne = statement<[subject: string, now: string, expires: string], { failures: number }>(
  (subject, now, expires) => sql`insert into sign_in_attempts as a (subject, failures, blocked_until, expires)
    values (${subject}, 1, ${longAgo}, ${expires})
    on conflict (subject) do update set failures = case when a.expires > ${now} then a.failures + 1 else 1 end,
      expires = ${expires} where a.blocked_until <= ${now} returning failures`,
);

// Hashed: what people type as a name may be a password.
function userOf(key: Pick<InstanceKey, 'hash'>, { who }: Attempt): string {
  if (typeof who === 'object')
    return key.hash(
      'knownBrowser' in who
        ? `attempts:known-browser:${who.knownBrowser}`
        : `attempts:second-factor:${who.secondFactorOf}`,
    );
  return key.hash(typeof who === 'number' ? `attempts:user:${who}` : `attempts:name:${who.toLowerCase()}`);
}

const addressOf = (key: Pick<InstanceKey, 'hash'>, { ip }: Attempt): string =>
  key.hash(`attempts:address:${networkOf(ip)}`);
