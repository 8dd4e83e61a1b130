import { sql } from 'kysely';
import { actingAs } from '../../core/access/impersonation-guard.ts';
import { usernameKey } from '../../core/directory/name-keys.ts';
import { loadUserFacts } from '../../core/mapping/user-facts.ts';
import { devicesWithCodes, signInByPassword } from '../../flow/password-sign-in.ts';
import { wrongAnswer } from '../../flow/program-walk.ts';
import { memoizeWeakly } from '../../lib/memoize.ts';
import { isSameName } from '../../lib/name-key.ts';
import { createRateLimit } from '../../platform/limits/rate-limit.ts';
import type { Log } from '../../platform/log.ts';
import type { Call } from '../../resource/call.ts';
import type { OutpostType } from '../outpost/outpost-type.ts';
import { isForProvider } from './served-application.ts';
import type { ServerNeeds } from './server-needs.ts';

export interface Proven {
  readonly user: number;
  /** The hash of the app password that was given. */
  readonly token: string | null;
}

/** The members of a provider that say how a password is verified. */
export interface PasswordProvider {
  readonly pk: number;
  readonly flow: string | null;
  readonly mfa_support: boolean;
  readonly accept_app_passwords: boolean;
}

interface Given {
  /** The emitter of events. */
  readonly app: string;
  readonly outpost: OutpostType;
  readonly username: string;
  readonly password: string;
}

/** Verifies a name and a password by the flow of a provider, or as an app password. Null if they are wrong. */
export const provePassword = async (
  needs: ServerNeeds,
  call: Call,
  provider: PasswordProvider,
  given: Given,
): Promise<Proven | null> =>
  (provider.accept_app_passwords ? await byAppPassword(needs, call, provider, given) : null) ??
  (await byFlow(needs, call, provider, given));

/** Flows that do not suit programs, and policies, refuse each attempt: one line a minute about the same. */
const linesOf = memoizeWeakly((_log: Log) => createRateLimit({ max: 1, windowMs: 60_000, keys: 500 }));

async function byFlow(
  needs: ServerNeeds,
  call: Call,
  { flow, mfa_support }: PasswordProvider,
  { username, password: given, outpost }: Given,
): Promise<Proven | null> {
  if (flow === null) return null;
  const { password, code } = mfa_support ? await splitCode(call, username, given) : { password: given, code: given };
  const query = { [`gatehouse/outpost/${outpost}`]: 'true' };
  const result = await signInByPassword(needs, call, flow, {
    ...{ username, password, code, query },
    asksDevices: mfa_support,
  });
  if (result.outcome === 'right') return { user: result.user, token: null };
  const { reason } = result;
  if (reason !== wrongAnswer && linesOf(needs.log).waitAfter(`${flow} ${reason}`) === 0)
    needs.log.warn({ flow, reason, client: call.request.clientIp }, `a sign-in by ${outpost} was refused`);
  return null;
}

/**
 * A code follows the last semicolon. It is looked for only if the user has a device with codes: passwords may hold
 * semicolons, too.
 */
async function splitCode(
  call: Call,
  username: string,
  given: string,
): Promise<{ password: string; code: string | null }> {
  const at = given.lastIndexOf(';');
  const whole = { password: given, code: null };
  if (at <= 0 || at === given.length - 1) return whole;
  const { rows } = await sql`select 1 from users u join devices d on d."user" = u.pk and d.confirmed
    and d.kind in (${sql.join(devicesWithCodes)}) where u.username_key = ${usernameKey.of(username)} limit 1`.execute(
    call.db.read,
  );
  return rows.length > 0 ? { password: given.slice(0, at), code: given.slice(at + 1) } : whole;
}

/** App passwords are random and too long for brute force, so they are looked up without counting attempts. */
async function byAppPassword(
  needs: ServerNeeds,
  call: Call,
  provider: PasswordProvider,
  { app, username, password }: Given,
): Promise<Proven | null> {
  const { rows } = await sql<{
    token: string;
    user: number;
    username: string;
  }>`select t.key_hash as token, u.pk as "user",
    u.username from tokens t join users u on u.pk = t."user"
    where t.key_hash = ${needs.key.hash(password)} and t.intent = 'app_password' and t.audience is null
      and ${isForProvider(sql`${provider.pk}`)}
      and (not t.expiring or t.expires > ${call.now}) and u.username_key = ${usernameKey.of(username)} and u.is_active
      and u.type <> 'internal_service_account'`.execute(call.db.read);
  const [found] = rows;
  if (!found || !isSameName(found.username, username)) return null;
  const user = await loadUserFacts(call.db.read, found.user);
  if (!user) return null;
  const event = { action: 'login', app, context: { auth_method: 'app_password', auth_method_args: {} } };
  await call.db.write(async (tx) => {
    await sql`update users set last_login = ${call.now} where pk = ${user.pk}`.execute(tx);
    await call.world.record(tx, actingAs(call, user), event);
  });
  return { user: found.user, token: found.token };
}
