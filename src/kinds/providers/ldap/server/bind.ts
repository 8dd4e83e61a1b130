import { createHmac, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { actingAs } from '../../../../core/access/impersonation-guard.ts';
import { usernameKey } from '../../../../core/directory/name-keys.ts';
import { loadUserFacts } from '../../../../core/mapping/user-facts.ts';
import { signInByPassword } from '../../../../flow/password-sign-in.ts';
import { type Dn, isSameDn, normalizeDn, normalizeType, parseDn } from '../../../../lib/ldap/dn.ts';
import type { BindRequest } from '../../../../lib/ldap/message.ts';
import type { ResultCode } from '../../../../lib/ldap/result-codes.ts';
import { createLruCache } from '../../../../lib/lru-cache.ts';
import { isSameName } from '../../../../lib/name-key.ts';
import { maxPasswordLength } from '../../../../platform/passwords.ts';
import type { Call } from '../../../../resource/call.ts';
import { isStorable } from '../../../../resource/fields/well-formed.ts';
import { ldapApp } from '../ldap-model.ts';
import { userDn } from '../tree.ts';
import { type Authority, isForProvider, mayUse, stampOf } from './authority.ts';
import { providerOf, type ServedProvider, servedProviders } from './served-providers.ts';
import type { ServerNeeds } from './server-needs.ts';

export type Bound =
  | { readonly code: 'success'; readonly authority: Authority | null }
  | { readonly code: Exclude<ResultCode, 'success'>; readonly message: string };

interface Proven {
  readonly user: number;
  readonly token: string | null;
}

interface Remembered extends Proven {
  readonly stamp: string;
  readonly until: number;
}

const maxRemembered = 10_000;
const rememberedMs = 5 * 60_000;
const wrong: Bound = { code: 'invalidCredentials', message: '' };

/** Binds clients. Every way that is not a success ends in a refusal. */
export function createBind(needs: ServerNeeds) {
  // Gone with the process, so that nothing can be looked up by it later.
  const secret = randomBytes(32);
  const remembered = createLruCache<Remembered>(maxRemembered);
  // A one-time code is part of the password: only the client that had it verified may send it again.
  const hashOf = (provider: ServedProvider, clientIp: string, username: string, password: string) =>
    createHmac('sha256', secret)
      .update(JSON.stringify([provider, clientIp, username, password]))
      .digest('base64');

  async function prove(
    call: Call,
    provider: ServedProvider,
    username: string,
    password: string,
  ): Promise<Proven | null> {
    const { clientIp } = call.request;
    const isCached = provider.bind_mode === 'cached';
    const cached = isCached ? hashOf(provider, clientIp, usernameKey.of(username), password) : null;
    const known = cached === null ? undefined : remembered.get(cached);
    if (known && known.until > Date.now()) {
      if ((await stampOf(call, provider.pk, known)) === known.stamp) return known;
    }
    const proven =
      (provider.accept_app_passwords ? await byAppPassword(needs, call, provider, username, password) : null) ??
      (await byFlow(needs, call, provider, username, password));
    if (!proven || cached === null) return proven;
    const stamp = await stampOf(call, provider.pk, proven);
    if (stamp !== null) remembered.set(cached, { ...proven, stamp, until: Date.now() + rememberedMs });
    return proven;
  }

  return async (call: Call, { name, password, version }: BindRequest): Promise<Bound> => {
    if (version !== 3) return { code: 'protocolError', message: 'Only version 3 is supported.' };
    if (password === null) return { code: 'authMethodNotSupported', message: 'Only simple binds are supported.' };
    const dn = parseDn(name);
    if (!dn) return { code: 'invalidDNSyntax', message: 'The name is malformed.' };
    if (password === '') {
      if (dn.length === 0) return { code: 'success', authority: null };
      // Clients take the success of such a bind for that of a sign-in (RFC 4513, section 5.1.2).
      return { code: 'unwillingToPerform', message: 'A bind with a name needs a password.' };
    }
    const provider = providerOf(await servedProviders(call.db), dn);
    if (!provider) return { code: 'insufficientAccessRights', message: 'No provider serves this name.' };
    const username = usernameIn(dn, provider.base);
    if (username === null || password.length > maxPasswordLength || !isStorable(password)) return wrong;
    const proven = await prove(call, provider, username, password);
    if (!proven) return wrong;
    if (!(await mayUse(needs, call, provider.pk, proven.user)))
      return { code: 'insufficientAccessRights', message: 'You may not use this application.' };
    const user = await loadUserFacts(call.db.read, proven.user);
    if (!user?.is_active) return wrong;
    return {
      code: 'success',
      authority: {
        ...proven,
        provider: provider.pk,
        dn: userDn(provider.base_dn, user.username),
        passwordSet: user.password_change_date,
        ...{ boundAt: Date.now(), accessAt: Date.now() },
      },
    };
  };
}

/** The username of a name: `cn=ada,ou=users,<base>` or directly below the base. Null if it names nobody. */
export function usernameIn(dn: Dn, base: Dn): string | null {
  const [rdn, ...above] = dn;
  const [part, ...further] = rdn ?? [];
  if (!part || further.length > 0 || part.isEncoded || !isStorable(part.value)) return null;
  if (!['cn', 'uid'].includes(normalizeType(part.type))) return null;
  const isBelow =
    isSameDn(above, base) || (normalizeDn(above.slice(0, 1)) === 'ou=users' && isSameDn(above.slice(1), base));
  return isBelow && part.value.length <= 254 ? part.value : null;
}

async function byFlow(
  needs: ServerNeeds,
  call: Call,
  { flow, mfa_support }: ServedProvider,
  username: string,
  given: string,
): Promise<Proven | null> {
  if (flow === null) return null;
  const { password, code } = mfa_support ? await splitCode(call, username, given) : { password: given, code: given };
  const query = { 'gatehouse/outpost/ldap': 'true' };
  const result = await signInByPassword(needs, call, flow, {
    ...{ username, password, code, query },
    asksDevices: mfa_support,
  });
  if (result.outcome === 'right') return { user: result.user, token: null };
  needs.log.debug({ flow, reason: result.reason, client: call.request.clientIp }, 'a bind was refused');
  return null;
}

/** A code follows the last semicolon. It is looked for only if the user has a device: passwords may hold semicolons, too. */
async function splitCode(
  call: Call,
  username: string,
  given: string,
): Promise<{ password: string; code: string | null }> {
  const at = given.lastIndexOf(';');
  const whole = { password: given, code: null };
  if (at <= 0 || at === given.length - 1) return whole;
  const { rows } = await sql`select 1 from users u join devices d on d."user" = u.pk and d.confirmed
    where u.username_key = ${usernameKey.of(username)} limit 1`.execute(call.db.read);
  return rows.length > 0 ? { password: given.slice(0, at), code: given.slice(at + 1) } : whole;
}

/** App passwords are random and long: nobody guesses them, so they are looked up without counting attempts. */
async function byAppPassword(
  needs: ServerNeeds,
  call: Call,
  provider: ServedProvider,
  username: string,
  given: string,
): Promise<Proven | null> {
  const { rows } = await sql<{
    token: string;
    user: number;
    username: string;
  }>`select t.key_hash as token, u.pk as "user",
    u.username from tokens t join users u on u.pk = t."user"
    where t.key_hash = ${needs.key.hash(given)} and t.intent = 'app_password' and t.audience is null
      and ${isForProvider(sql`${provider.pk}`)}
      and (not t.expiring or t.expires > ${call.now}) and u.username_key = ${usernameKey.of(username)} and u.is_active
      and u.type <> 'internal_service_account'`.execute(call.db.read);
  const [found] = rows;
  if (!found || !isSameName(found.username, username)) return null;
  const user = await loadUserFacts(call.db.read, found.user);
  if (!user) return null;
  const event = { action: 'login', app: ldapApp, context: { auth_method: 'app_password', auth_method_args: {} } };
  await call.db.write(async (tx) => {
    await sql`update users set last_login = ${call.now} where pk = ${user.pk}`.execute(tx);
    await call.world.record(tx, actingAs(call, user), event);
  });
  return { user: found.user, token: found.token };
}
