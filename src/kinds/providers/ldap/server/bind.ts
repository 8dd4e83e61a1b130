import { createHmac, randomBytes } from 'node:crypto';
import { usernameKey } from '../../../../core/directory/name-keys.ts';
import { loadUserFacts } from '../../../../core/mapping/user-facts.ts';
import { type Dn, isSameDn, normalizeDn, normalizeType, parseDn } from '../../../../lib/ldap/dn.ts';
import type { BindRequest } from '../../../../lib/ldap/message.ts';
import type { ResultCode } from '../../../../lib/ldap/result-codes.ts';
import { createLruCache } from '../../../../lib/lru-cache.ts';
import { maxPasswordLength } from '../../../../platform/passwords.ts';
import { type Proven, provePassword } from '../../../../provider/password-server/prove-password.ts';
import { admits } from '../../../../provider/password-server/served-application.ts';
import type { ServerNeeds } from '../../../../provider/password-server/server-needs.ts';
import type { Call } from '../../../../resource/call.ts';
import { isStorable } from '../../../../resource/fields/well-formed.ts';
import { ldapApp } from '../ldap-model.ts';
import { userDn } from '../tree.ts';
import { type Authority, stampOf } from './authority.ts';
import { providerOf, type ServedProvider, servedProviders } from './served-providers.ts';

export type Bound =
  | { readonly code: 'success'; readonly authority: Authority | null }
  | { readonly code: Exclude<ResultCode, 'success'>; readonly message: string };

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
    const proven = await provePassword(needs, call, provider, { app: ldapApp, outpost: 'ldap', username, password });
    if (!proven || cached === null) return proven;
    const stamp = await stampOf(call, provider.pk, proven);
    if (stamp !== null) remembered.set(cached, { ...proven, stamp, until: Date.now() + rememberedMs });
    return proven;
  }

  return async (call: Call, { name, password, version }: BindRequest, outpost: string | null): Promise<Bound> => {
    if (version !== 3) return { code: 'protocolError', message: 'Only version 3 is supported.' };
    if (password === null) return { code: 'authMethodNotSupported', message: 'Only simple binds are supported.' };
    const dn = parseDn(name);
    if (!dn) return { code: 'invalidDNSyntax', message: 'The name is malformed.' };
    if (password === '') {
      if (dn.length === 0) return { code: 'success', authority: null };
      // Clients take the success of such a bind for that of a sign-in (RFC 4513, section 5.1.2).
      return { code: 'unwillingToPerform', message: 'A bind with a name needs a password.' };
    }
    const provider = providerOf(await servedProviders(call.db, outpost), dn);
    if (!provider) return { code: 'insufficientAccessRights', message: 'No provider serves this name.' };
    const username = usernameIn(dn, provider.base);
    if (username === null || password.length > maxPasswordLength || !isStorable(password)) return wrong;
    const proven = await prove(call, provider, username, password);
    if (!proven) return wrong;
    const user = await loadUserFacts(call.db.read, proven.user);
    if (!user?.is_active) return wrong;
    if (!(await admits(needs, call, provider.pk, user)))
      return { code: 'insufficientAccessRights', message: 'You may not use this application.' };
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

/** The username of a name: `cn=ada,ou=users,<base>` or directly below the base. Null if it names no user. */
export function usernameIn(dn: Dn, base: Dn): string | null {
  const [rdn, ...above] = dn;
  const [part, ...further] = rdn ?? [];
  if (!part || further.length > 0 || part.isEncoded || !isStorable(part.value)) return null;
  if (!['cn', 'uid'].includes(normalizeType(part.type))) return null;
  const isBelow =
    isSameDn(above, base) || (normalizeDn(above.slice(0, 1)) === 'ou=users' && isSameDn(above.slice(1), base));
  return isBelow && part.value.length <= 254 ? part.value : null;
}
