import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { countAttempt, refundAttempt, resetAttempts } from '../../core/attempts/attempts.ts';
import type { UserFacts } from '../../core/mapping/user-facts.ts';
import type { Query } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/statement.ts';
import type { Passwords } from '../../platform/passwords.ts';
import type { SignInAttempt } from '../../policy/kind.ts';
import type { Call } from '../../resource/call.ts';
import { setPasswordTime } from '../executor/flow-state.ts';
import type { Step, Write } from '../executor/stage-kind.ts';
import { type KnownBrowserNeeds, knownBrowserCookie, knownBrowserOf } from './known-browser.ts';
import { type DirectoryVerdict, directoryPasswords, type PasswordBackend } from './password-backend.ts';

export interface PasswordDependencies extends KnownBrowserNeeds {
  readonly passwords: Passwords;
  readonly passwordBackends: readonly PasswordBackend[];
  /** Reports the outcome of an attempt to policies. */
  noteAttempt(tx: Query, attempt: SignInAttempt, call: Call): Promise<void>;
}

/** The backends that can verify a password. */
export const ownPasswords = 'svc.core.auth.InbuiltBackend';
export const appPasswords = 'svc.core.auth.TokenBackend';

export type PasswordResult =
  | {
      readonly outcome: 'right';
      readonly method: 'password' | 'app_password' | 'ldap';
      readonly write: Write;
      readonly cookies: readonly string[];
    }
  | { readonly outcome: 'wrong'; readonly left: number; readonly write: Write }
  /** Too many wrong attempts: this one was not checked. */
  | { readonly outcome: 'blocked'; readonly waitMs: number }
  /** The directory of the user could not be reached: not a failed attempt. */
  | { readonly outcome: 'unavailable' };

/** The settings of a password stage that matter here. */
export type PasswordSettings = {
  pk: string;
  name: string;
  backends: readonly string[];
  allow_show_password: boolean;
};

/** Verifies a password by a stage's settings. Takes the same time and gives the same result for unknown users. */
export async function verifyPassword(
  needs: PasswordDependencies,
  { call, context, pendingUser }: Pick<Step, 'call' | 'context' | 'pendingUser'>,
  stage: PasswordSettings,
  given: string,
): Promise<PasswordResult> {
  const { passwords, key, noteAttempt } = needs;
  const { clientIp: ip } = call.request;
  const typed = context.pending_user_identifier ?? '';
  // Counted by the typed name, whether or not it exists: otherwise the limit would reveal it. Users locked out by
  // others can still sign in from a known browser.
  const browser = knownBrowserOf(needs, call, context.pending_user);
  const named = typed === '' ? (context.pending_user ?? '') : typed;
  const attempt = { who: browser === null ? named : { knownBrowser: browser }, ip, now: call.now };
  const counted = await countAttempt(call, key, attempt);
  if (counted.isBlocked) return { outcome: 'blocked', waitMs: counted.waitMs };

  const { backends } = stage;
  const { hash, set, isAppPassword } = await loadSecrets(call, context.pending_user, key.hash(given));
  const user = await pendingUser();
  const name = user?.username ?? typed;
  const isOwn = await passwords.verify(backends.includes(ownPasswords) ? hash : null, given);
  const isLocal = isOwn || (isAppPassword && backends.includes(appPasswords));
  const mayAsk = backends.includes(directoryPasswords);
  const started = Date.now();
  const there =
    mayAsk && !isLocal && user && maySignIn(user) ? await askDirectories(needs, user, given, call) : notTheirs;
  if (there.outcome === 'unavailable') {
    await call.db.write((tx) => refundAttempt(tx, key, attempt), { durable: false });
    return there;
  }
  const isRight = isLocal || there.outcome === 'right';
  const score = { identifier: name, ip, now: call.now };
  // Constant time: it must not disclose whose password was sent to a directory.
  if (mayAsk && !isRight && (await isAnyInUse(needs, call)))
    await delay(Math.max(failureMs - (Date.now() - started), 0));
  if (!isRight || !user || !maySignIn(user)) {
    return {
      outcome: 'wrong',
      left: counted.left,
      async write(tx, failed) {
        await noteAttempt(tx, { ...score, by: -1 }, failed);
        const about = { app: 'svc_stages_password', model_name: 'passwordstage', pk: stage.pk, name: stage.name };
        const event = { action: 'login_failed', app: 'svc_stages_password' };
        await failed.world.record(tx, failed, {
          ...event,
          context: { username: name, stage: about, ...(user && !user.is_active && { reason: 'inactive' }) },
        });
      },
    };
  }
  const setAt = there.outcome === 'right' && there.stored !== null ? there.stored : set;
  if (setAt !== null) setPasswordTime(context, setAt);
  const renewed = isOwn && hash !== null && passwords.needsRehash(hash) ? await passwords.hash(given) : null;
  return {
    outcome: 'right',
    method: methodOf(isOwn, there),
    cookies: browser === null ? [knownBrowserCookie(needs, user.pk, call.now)] : [],
    async write(tx) {
      await resetAttempts(tx, key, attempt);
      await noteAttempt(tx, { ...score, by: 1 }, call);
      if (there.outcome === 'right') await there.after(tx);
      // Replaces only the hash that was verified: a password set meanwhile stays.
      if (renewed !== null)
        await sql`update users set password = ${renewed} where pk = ${user.pk} and password = ${hash}`.execute(tx);
    },
  };
}

/** Longer than most directories take. */
const failureMs = 500;
const notTheirs = { outcome: 'not theirs' } as const;

function methodOf(isOwn: boolean, { outcome }: DirectoryVerdict): 'password' | 'app_password' | 'ldap' {
  if (isOwn) return 'password';
  return outcome === 'right' ? 'ldap' : 'app_password';
}

/** Empty passwords are never sent: many directories accept them as an anonymous bind. */
async function askDirectories(
  { passwordBackends }: PasswordDependencies,
  user: UserFacts,
  password: string,
  call: Call,
): Promise<DirectoryVerdict> {
  if (password === '') return { outcome: 'wrong' };
  let last: DirectoryVerdict = notTheirs;
  for (const backend of passwordBackends) {
    const verdict = await backend.verify(user, password, call);
    if (verdict.outcome === 'right') return verdict;
    if (verdict.outcome !== 'not theirs' && last.outcome !== 'unavailable') last = verdict;
  }
  return last;
}

async function isAnyInUse({ passwordBackends }: PasswordDependencies, { db }: Call): Promise<boolean> {
  for (const backend of passwordBackends) if (await backend.isInUse(db.read)) return true;
  return false;
}

const maySignIn = ({ is_active, type }: UserFacts): boolean => is_active && type !== 'internal_service_account';

interface Secrets {
  readonly hash: string | null;
  /** When it was set. */
  readonly set: string | null;
  readonly isAppPassword: boolean;
}

/** One statement for all users, known or not, against timing attacks. */
async function loadSecrets({ db, now }: Call, pk: number | null, keyHash: string): Promise<Secrets> {
  const [found] = await secretsOf(db.read, pk, keyHash, now);
  return {
    hash: found?.hash ?? null,
    set: found?.set ?? null,
    isAppPassword: (found?.token ?? null) !== null,
  };
}

const secretsOf = statement<
  [pk: number | null, keyHash: string, now: string],
  { hash: string | null; set: string | null; token: string | null }
>(
  (pk, keyHash, now) => sql`select
    (select password from users where pk = ${pk}) as hash,
    (select password_change_date from users where pk = ${pk}) as "set",
    (select pk from tokens where key_hash = ${keyHash} and intent = 'app_password' and application is null and "user" = ${pk}
      and (not expiring or expires > ${now})) as token`,
);
