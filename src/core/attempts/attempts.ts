import { type RawBuilder, sql } from 'kysely';
import { networkOf } from '../../lib/cidr.ts';
import { addMilliseconds } from '../../platform/clock.ts';
import { type Query, Rollback } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/statement.ts';
import type { InstanceKey } from '../../platform/keys.ts';
import type { Call } from '../../resource/call.ts';

export interface Attempt {
  /**
   * The name that was typed, or the user's key. A browser in which the user has signed in before has a count of its
   * own. So do second factors, and a correct password does not reset it: otherwise whoever knows the password could
   * guess without end.
   */
  readonly who: number | string | { readonly secondFactorOf: number } | { readonly knownBrowser: string };
  readonly ip: string;
  readonly now: string;
}

/** Attempts beyond `free` double the wait. */
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

/**
 * Counts an attempt before any lookup or hashing. Returns false if it must wait, else what `look` finds in the same
 * transaction. One statement does the counting, so that concurrent attempts cannot exceed the limit.
 */
export async function claimAttempt<T extends object | true = true>(
  call: Pick<Call, 'db' | 'world'>,
  key: Pick<InstanceKey, 'hash'>,
  attempt: Attempt,
  // Callers without `look` leave T at `true`.
  look: (tx: Query) => Promise<T> = async () => true as T,
): Promise<T | false> {
  const claim = { ...call, user: userOf(key, attempt), address: addressOf(key, attempt), now: attempt.now, look };
  return (await claimFree(claim)) ?? claimInTurn(claim);
}

interface Claim<T> extends Pick<Call, 'db' | 'world'> {
  readonly user: string;
  readonly address: string;
  readonly now: string;
  look(tx: Query): Promise<T>;
}

/** Nearly all attempts are among the free ones: PostgreSQL counts them and answers `look` in one round trip. Null if this one is not. */
async function claimFree<T>({ db, world, user, address, now, look }: Claim<T>): Promise<T | null> {
  let counted: readonly Counted[] = [];
  const found = await db.write(async (tx) => {
    await world.makeRoom('sign_in_attempts', tx);
    counted = await countFree(tx, user, address, now, addMilliseconds(now, forgottenAfterMs));
    return look(tx);
  }, notDurable);
  if (counted.length === 2) return found;
  // Another attempt has used up the free ones of one subject meanwhile: the other one must not pay for it.
  const [one] = counted;
  if (one) await db.write((tx) => giveBack(tx, one.subject), notDurable);
  return null;
}

async function claimInTurn<T>({ db, user, address, now, look }: Claim<T>): Promise<T | false> {
  try {
    return await db.write(async (tx) => {
      // A refused attempt is not counted: otherwise a blocked address could still lock users out.
      if (!(await count(tx, user, address, guesses, now))) throw new Rollback(false);
      return await look(tx);
    }, notDurable);
  } catch (error) {
    if (error instanceof Rollback) return false;
    throw error;
  }
}

/** An attacker cannot cause a power loss, and the counts survive a restart. */
const notDurable = { durable: false } as const;

/** After a success: resets the user's count and refunds this attempt to the address. */
export async function forgiveAttempt(tx: Query, key: Pick<InstanceKey, 'hash'>, attempt: Attempt): Promise<void> {
  await forget(tx, userOf(key, attempt));
  await giveBack(tx, addressOf(key, attempt));
}

const forget = statement<[subject: string], unknown>(
  (subject) => sql`delete from sign_in_attempts where subject = ${subject}`,
  { sent: 'later' },
);

const giveBack = statement<[subject: string], unknown>(
  (subject) => sql`update sign_in_attempts set failures = failures - 1 where subject = ${subject} and failures > 0`,
  { sent: 'later' },
);

interface Message {
  /** Whom it is for: a user, or a name or address. */
  readonly who: number | string;
  /** Who requests it: an administrator, who is known, or somebody at an address. */
  readonly by: { readonly user: number } | { readonly ip: string };
  readonly now: string;
}

/**
 * Counts a requested message, separately from sign-in attempts, so that nobody can flood another's mailbox. Returns
 * false while the subject must wait; the caller must then roll back.
 */
export async function claimMessage(
  tx: Query,
  { world }: Pick<Call, 'world'>,
  key: Pick<InstanceKey, 'hash'>,
  { who, by, now }: Message,
): Promise<boolean> {
  await world.makeRoom('sign_in_attempts', tx);
  const to = typeof who === 'number' ? `messages:user:${who}` : `messages:name:${who.toLowerCase()}`;
  // Administrators do not use up what their network may request.
  const [from, ofAddress] =
    'ip' in by
      ? [`messages:address:${networkOf(by.ip)}`, messages.ofAddress]
      : [`messages:sender:${by.user}`, messages.ofSender];
  return count(tx, key.hash(to), key.hash(from), { ofUser: messages.ofUser, ofAddress }, now);
}

/**
 * Counts a message to a mailbox, by whatever name it was asked for. Returns false while the mailbox must wait: nobody may
 * learn that, since who asks by two names would learn that they are one user's.
 */
export async function claimMailbox(
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
  if (counted) await slowDown(tx, counted, messages.ofUser, now);
  return counted !== undefined;
}

/** False while one of the subjects must wait; the caller then rolls back, or the wait would never end. */
async function count(tx: Query, user: string, address: string, paces: Paces, now: string): Promise<boolean> {
  const counted = await countBoth(tx, user, address, now, addMilliseconds(now, forgottenAfterMs));
  if (counted.length < 2) return false;
  for (const one of counted) await slowDown(tx, one, one.subject === user ? paces.ofUser : paces.ofAddress, now);
  return true;
}

async function slowDown(tx: Query, { subject, failures }: Counted, { free, minWaitMs }: Pace, now: string) {
  if (failures <= free) return;
  const waitMs = Math.min(minWaitMs * 2 ** Math.min(failures - free - 1, 20), maxWaitMs);
  await sql`update sign_in_attempts set blocked_until = ${addMilliseconds(now, waitMs)}
    where subject = ${subject}`.execute(tx);
}

type Counting = [user: string, address: string, now: string, expires: string];

interface Counted {
  readonly subject: string;
  readonly failures: number;
}

/** Counts both subjects, or none if one of them has no free attempt left. */
const countFree = statement<Counting, Counted>(
  (user, address, now, expires) => {
    const limit = (row: 'a' | 'b') =>
      sql`case ${sql.ref(`${row}.subject`)} when ${user} then ${sql.lit(guesses.ofUser.free)} else ${sql.lit(guesses.ofAddress.free)} end`;
    return sql`insert into sign_in_attempts as a (subject, failures, blocked_until, expires)
    select s.subject, 1, ${longAgo}, ${expires} from (select ${user} as subject union all select ${address}) as s
    where not exists (select 1 from sign_in_attempts as b where b.subject in (${user}, ${address})
      and (b.blocked_until > ${now} or b.expires > ${now} and b.failures >= ${limit('b')}))
    on conflict (subject) do update set failures = case when a.expires > ${now} then a.failures + 1 else 1 end,
      expires = excluded.expires
      where a.blocked_until <= ${now} and (a.expires <= ${now} or a.failures < ${limit('a')}) returning subject, failures`;
  },
  { sent: 'later' },
);

type Value = RawBuilder<unknown>;

const counting = (subjects: readonly Value[], now: Value, expires: Value) =>
  sql<Counted>`insert into sign_in_attempts as a (subject, failures, blocked_until, expires)
    values ${sql.join(subjects.map((subject) => sql`(${subject}, 1, ${longAgo}, ${expires})`))}
    on conflict (subject) do update set failures = case when a.expires > ${now} then a.failures + 1 else 1 end,
      expires = excluded.expires where a.blocked_until <= ${now} returning subject, failures`;

const countBoth = statement<Counting, Counted>((user, address, now, expires) =>
  counting([user, address], now, expires),
);
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
  return key.hash(typeof who === 'number' ? `attempts:user:${who}` : `attempts:name:${who.toLowerCase()}`);
}

const addressOf = (key: Pick<InstanceKey, 'hash'>, { ip }: Attempt): string =>
  key.hash(`attempts:address:${networkOf(ip)}`);
