import { type RawBuilder, sql } from 'kysely';
import { networksOf } from '../../lib/cidr.ts';
import { nameKey } from '../../lib/name-key.ts';
import { addMilliseconds } from '../../platform/clock.ts';
import { type Query, Rollback } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/statement.ts';
import type { InstanceKey } from '../../platform/keys.ts';
import type { Call } from '../../resource/call.ts';

export interface Attempt {
  /**
   * The name that was typed, in any spelling that finds the same user, or the user's key. Browsers in which the user
   * has signed in before have a count of their own, so that lockout cannot be used against the owner. So do second
   * factors: a correct password does not reset their count, or an attacker with the password could guess codes without
   * limit.
   */
  readonly who: number | string | { readonly secondFactorOf: number } | { readonly knownBrowser: string };
  readonly ip: string;
  readonly now: string;
}

/** Brute-force protection: attempts beyond `free` double the wait (lockout). */
interface Pace {
  readonly free: number;
  readonly minWaitMs: number;
}

interface Paces {
  readonly ofUser: Pace;
  readonly ofAddress: Pace;
}

const guesses: Paces = { ofUser: { free: 10, minWaitMs: 2_000 }, ofAddress: { free: 200, minWaitMs: 2_000 } };
const messages: Paces & { readonly ofSender: Pace } = {
  ofUser: { free: 2, minWaitMs: 60_000 },
  ofAddress: { free: 60, minWaitMs: 60_000 },
  ofSender: { free: 200, minWaitMs: 60_000 },
};
const maxWaitMs = 15 * 60_000;
/** Not blocked. The attempt's own time would make attempts that started earlier wait. */
const longAgo = '1970-01-01T00:00:00.000000Z';
/** The count resets after this long without an attempt. */
const forgottenAfterMs = 24 * 3_600_000;

export type AttemptResult =
  /** `left`: how many more attempts of this user are checked without a wait. */
  { readonly isBlocked: false; readonly left: number } | { readonly isBlocked: true; readonly waitMs: number };

/** Counts an attempt before any lookup or hashing, unless it must wait. */
export async function countAttempt(
  { db, world }: Pick<Call, 'db' | 'world'>,
  key: Pick<InstanceKey, 'hash'>,
  attempt: Attempt,
): Promise<AttemptResult> {
  const subjects = subjectsOf(key, attempt);
  let waitMs = 0;
  try {
    return await db.write(async (tx): Promise<AttemptResult> => {
      await world.evictOldest('sign_in_attempts', tx);
      const counted = await count(tx, subjects, attempt.now);
      // A refused attempt is not counted: otherwise a blocked address could still lock users out.
      if (!counted) {
        waitMs = await waitOf(tx, subjects, attempt.now);
        throw new Rollback(null);
      }
      const failures = counted.find(({ subject }) => subject === subjects[0].subject)?.failures ?? 0;
      return { isBlocked: false, left: Math.max(guesses.ofUser.free + 1 - failures, 0) };
    }, notDurable);
  } catch (error) {
    if (error instanceof Rollback) return { isBlocked: true, waitMs };
    throw error;
  }
}

/** The longest wait among the subjects. */
async function waitOf(tx: Query, subjects: readonly Subject[], now: string): Promise<number> {
  const { rows } = await sql<{ until: string | null }>`select max(blocked_until) as until from sign_in_attempts
    where subject in (${sql.join(subjects.map(({ subject }) => subject))})`.execute(tx);
  return Math.max(Date.parse(rows[0]?.until ?? now) - Date.parse(now), 0);
}

/** An attacker cannot cause a power loss, and the counts survive a restart. */
const notDurable = { durable: false } as const;

/** After a success: resets the user's count and refunds this attempt to the address. */
export async function resetAttempts(tx: Query, key: Pick<InstanceKey, 'hash'>, attempt: Attempt): Promise<void> {
  const [user, ...networks] = subjectsOf(key, attempt);
  await forget(tx, user.subject);
  for (const { subject } of networks) await giveBack(tx, subject);
}

/** For an attempt that could not be checked. */
export async function refundAttempt(tx: Query, key: Pick<InstanceKey, 'hash'>, attempt: Attempt): Promise<void> {
  for (const { subject } of subjectsOf(key, attempt)) await giveBack(tx, subject);
}

const forget = statement<[subject: string], unknown>(
  (subject) => sql`delete from sign_in_attempts where subject = ${subject}`,
);

const giveBack = statement<[subject: string], unknown>(
  (subject) => sql`update sign_in_attempts set failures = failures - 1 where subject = ${subject} and failures > 0`,
);

interface Message {
  /** Whom it is for: a user, or a name or address. */
  readonly who: number | string;
  /** Who requests it: a signed-in administrator, or an anonymous caller by address. */
  readonly by: { readonly user: number } | { readonly ip: string };
  readonly now: string;
}

/**
 * Counts a requested message, separately from sign-in attempts, to prevent mail bombing. Returns
 * false while the subject must wait; the caller must then roll back.
 */
export async function countMessage(
  tx: Query,
  { world }: Pick<Call, 'world'>,
  key: Pick<InstanceKey, 'hash'>,
  { who, by, now }: Message,
): Promise<boolean> {
  await world.evictOldest('sign_in_attempts', tx);
  const to = typeof who === 'number' ? `messages:user:${who}` : `messages:name:${nameKey(who)}`;
  // Administrators do not use up what their network may request.
  const from =
    'ip' in by
      ? subjectsOfNetworks(key, 'messages', by.ip, messages.ofAddress)
      : [{ subject: key.hash(`messages:sender:${by.user}`), pace: messages.ofSender }];
  return (await count(tx, [{ subject: key.hash(to), pace: messages.ofUser }, ...from], now)) !== null;
}

/**
 * Counts a message to a mailbox, whichever name was entered. Returns false while the mailbox must wait. Do not disclose
 * this: it would reveal that two names belong to one user (user enumeration).
 */
export async function countMail(
  tx: Query,
  key: Pick<InstanceKey, 'hash'>,
  { owner, now }: { readonly owner: number | string; readonly now: string },
): Promise<boolean> {
  const [counted] = await countOne(
    tx,
    key.hash(`messages:mailbox:${owner}`),
    now,
    addMilliseconds(now, forgottenAfterMs),
  );
  if (counted) await delayNextAttempt(tx, counted, messages.ofUser, now);
  return counted !== undefined;
}

/** Null while one of the subjects must wait; the caller then rolls back, or the wait would never end. */
async function count(tx: Query, subjects: readonly Subject[], now: string): Promise<readonly Counted[] | null> {
  const counted = await countAll(tx, subjects, now);
  if (counted.length < subjects.length) return null;
  for (const { subject, pace } of subjects) {
    const one = counted.find((each) => each.subject === subject);
    if (one) await delayNextAttempt(tx, one, pace, now);
  }
  return counted;
}

async function delayNextAttempt(tx: Query, { subject, failures }: Counted, { free, minWaitMs }: Pace, now: string) {
  if (failures <= free) return;
  const waitMs = Math.min(minWaitMs * 2 ** Math.min(failures - free - 1, 20), maxWaitMs);
  await sql`update sign_in_attempts set blocked_until = ${addMilliseconds(now, waitMs)}
    where subject = ${subject}`.execute(tx);
}

/** What is counted, and when it has to wait. */
interface Subject {
  readonly subject: string;
  readonly pace: Pace;
}

interface Counted {
  readonly subject: string;
  readonly failures: number;
}

const expiryOf = (now: string): string => addMilliseconds(now, forgottenAfterMs);

type Value = RawBuilder<unknown>;

const counting = (subjects: readonly Value[], now: Value, expires: Value) =>
  sql<Counted>`insert into sign_in_attempts as a (subject, failures, blocked_until, expires)
    values ${sql.join(subjects.map((subject) => sql`(${subject}, 1, ${longAgo}, ${expires})`))}
    on conflict (subject) do update set failures = case when a.expires > ${now} then a.failures + 1 else 1 end,
      expires = excluded.expires where a.blocked_until <= ${now} returning subject, failures`;

const countAll = async (tx: Query, subjects: readonly Subject[], now: string): Promise<readonly Counted[]> =>
  (
    await counting(
      subjects.map(({ subject }) => sql`${subject}`),
      sql`${now}`,
      sql`${expiryOf(now)}`,
    ).execute(tx)
  ).rows;
const countOne = statement<[subject: string, now: string, expires: string], Counted>((subject, now, expires) =>
  counting([subject], now, expires),
);

// Hashed: people sometimes type their password as the name.
function userOf(key: Pick<InstanceKey, 'hash'>, { who }: Attempt): string {
  if (typeof who === 'object')
    return key.hash(
      'knownBrowser' in who
        ? `attempts:known-browser:${who.knownBrowser}`
        : `attempts:second-factor:${who.secondFactorOf}`,
    );
  return key.hash(typeof who === 'number' ? `attempts:user:${who}` : `attempts:name:${nameKey(who)}`);
}

/** The user and the networks of an attempt. */
const subjectsOf = (key: Pick<InstanceKey, 'hash'>, attempt: Attempt): [Subject, ...Subject[]] => [
  { subject: userOf(key, attempt), pace: guesses.ofUser },
  ...subjectsOfNetworks(key, 'attempts', attempt.ip, guesses.ofAddress),
];

const subjectsOfNetworks = (key: Pick<InstanceKey, 'hash'>, what: string, ip: string, pace: Pace): Subject[] =>
  networksOf(ip).map(({ network, allowance }) => ({
    subject: key.hash(`${what}:address:${network}`),
    pace: { ...pace, free: pace.free * allowance },
  }));
