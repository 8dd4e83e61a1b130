import { sql } from 'kysely';
import { networksOf } from '../../../lib/cidr.ts';
import { equalInConstantTime } from '../../../lib/constant-time.ts';
import { hourMs } from '../../../lib/duration.ts';
import { addMilliseconds } from '../../../platform/clock.ts';
import { type Database, type Query, Rollback } from '../../../platform/db/database.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import { randomText } from '../../../platform/random.ts';

/** A code is valid only for this user and this number. */
export interface CodeSubject {
  readonly user: number;
  readonly number: string;
}

export interface Recipient extends CodeSubject {
  /** The address from which the number was typed; null if it is the user's, by proof. */
  readonly typedFrom: string | null;
}

type Hashing = Pick<InstanceKey, 'hash'>;

const codeLength = 6;
const lifetimeMs = 10 * 60_000;
const maxTries = 5;
/** Messages per hour. Each one costs money. */
const maxPerUser = 10;
const maxPerNumber = 5;
/** Attackers may enter premium numbers, and accounts are easily created (SMS pumping). */
const maxPerNetwork = 100;

/**
 * Issues a code that replaces any earlier one, or returns null when a limit is reached. One statement per limit does
 * the counting, so that concurrent requests cannot exceed it.
 */
export async function issueCode(db: Database, key: Hashing, subject: Recipient, now: string): Promise<string | null> {
  const code = randomText(codeLength, '0123456789');
  try {
    await db.write(async (tx) => {
      for (const [counted, max] of limitsOf(subject)) {
        if (!(await countSending(tx, key.hash(counted), max, now))) throw new Rollback(null);
      }
      await sql`insert into sms_codes (subject, code_hash, tries, expires)
        values (${subjectOf(key, subject)}, ${codeHash(key, subject, code)}, 0, ${addMilliseconds(now, lifetimeMs)})
        on conflict (subject) do update set code_hash = excluded.code_hash, tries = 0, expires = excluded.expires`.execute(
        tx,
      );
    });
  } catch (error) {
    if (error instanceof Rollback) return null;
    throw error;
  }
  return code;
}

/** Owners have a count of their own: others, who type their number, must not keep them from signing in. */
function limitsOf({ user, number, typedFrom }: Recipient): [counted: string, max: number][] {
  const ofUser: [string, number] = [`sms:user:${user}`, maxPerUser];
  if (typedFrom === null) return [ofUser, [`sms:owner:${user}:${number}`, maxPerNumber]];
  const ofNetworks = networksOf(typedFrom).map(({ network, allowance }): [string, number] => [
    `sms:network:${network}`,
    maxPerNetwork * allowance,
  ]);
  return [ofUser, [`sms:number:${number}`, maxPerNumber], ...ofNetworks];
}

/** Checks a code. A correct code is consumed; wrong attempts are limited. */
export async function consumeCode(
  db: Database,
  key: Hashing,
  subject: CodeSubject,
  given: string,
  now: string,
): Promise<boolean> {
  const hashed = subjectOf(key, subject);
  return db.write(async (tx) => {
    const { rows } = await sql<{ code_hash: string }>`update sms_codes set tries = tries + 1
      where subject = ${hashed} and tries < ${maxTries} and expires > ${now} returning code_hash`.execute(tx);
    if (!rows[0] || !equalInConstantTime(rows[0].code_hash, codeHash(key, subject, given))) return false;
    await sql`delete from sms_codes where subject = ${hashed}`.execute(tx);
    return true;
  });
}

/** Returns false, and counts nothing, once the hourly limit is reached. */
async function countSending(tx: Query, subject: string, max: number, now: string): Promise<boolean> {
  const { rows } = await sql`insert into sms_sendings as s (subject, sent, expires)
    values (${subject}, 1, ${addMilliseconds(now, hourMs)})
    on conflict (subject) do update set sent = case when s.expires > ${now} then s.sent + 1 else 1 end,
      expires = case when s.expires > ${now} then s.expires else excluded.expires end
    where s.expires <= ${now} or s.sent < ${max} returning subject`.execute(tx);
  return rows.length > 0;
}

const subjectOf = (key: Hashing, { user, number }: CodeSubject): string => key.hash(`sms:code:${user}:${number}`);
const codeHash = (key: Hashing, { user, number }: CodeSubject, code: string): string =>
  key.hash(`sms:code:${user}:${number}:${code}`);
