import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { Json } from '../lib/json.ts';
import { addMilliseconds } from '../platform/clock.ts';
import type { Query } from '../platform/db/database.ts';
import { hostCookieName, ownCookieHeader } from '../platform/http/own-cookie.ts';
import type { RequestFacts } from '../platform/http/request-facts.ts';
import { type InstanceKey, sealContext } from '../platform/keys.ts';
import { createEvictOldest, originOf, type RowOrigin } from '../platform/limits/network-eviction.ts';
import { orderedUuid, randomToken } from '../platform/random.ts';
import type { Call } from '../resource/call.ts';
import type { CallbackResult, PendingLogin } from './callback-result.ts';

/** How long a login at a source may take. */
const visitLifetimeMs = 15 * 60_000;
/** Limits on pending logins by network and in total; the oldest are evicted. */
const evictOldest = createEvictOldest('source_visits', 200);
const maxOfAll = 20_000;

interface Contents {
  readonly out: PendingLogin;
  readonly back: CallbackResult;
  readonly passed: true;
  readonly answer: Json;
  readonly 'sign-out': Json;
  readonly logout: Json;
}

/**
 * A pending login at a source: `out` until the callback, `back` until the walk has read the result. `passed`:
 * the pre-login flow was completed. `answer`, `sign-out` and `logout` are for kinds: a response that was
 * verified when it was posted, a session that also ends at the source, and a logout requested from the source.
 */
export interface PendingLoginKey<P extends keyof Contents = keyof Contents> {
  readonly purpose: P;
  readonly token: string;
  /**
   * The secret of the browser (`browserSecret`), which binds the pending login to it. Empty if any browser may
   * continue.
   */
  readonly browser: string;
  readonly source: string;
}

const hashOf = (key: InstanceKey, { purpose, token, browser }: PendingLoginKey): string =>
  key.hash(`source_visits ${purpose} ${token} ${browser}`);

const contextOf = (pk: string): string => sealContext('source_visits', 'content', pk);

/** A row that is yet to be stored. A type, since plans are JSON. */
export type PendingLoginRow = {
  readonly pk: string;
  readonly token_hash: string;
  readonly source: string;
  readonly content: string;
} & RowOrigin;

export function buildPendingLoginRow<P extends keyof Contents>(
  key: InstanceKey,
  visit: PendingLoginKey<P>,
  content: Contents[P],
  call: Call,
): PendingLoginRow {
  const pk = orderedUuid();
  return {
    pk,
    token_hash: hashOf(key, visit),
    source: visit.source,
    content: key.box.seal(JSON.stringify(content), contextOf(pk)),
    ...originOf(call.request.clientIp, (network) => key.hash(`source_visits:${network}`)),
  };
}

export const storePendingLogin = <P extends keyof Contents>(
  tx: Query,
  key: InstanceKey,
  visit: PendingLoginKey<P>,
  content: Contents[P],
  call: Call,
): Promise<void> => insertPendingLogin(tx, buildPendingLoginRow(key, visit, content, call), call.now);

export async function insertPendingLogin(tx: Query, row: PendingLoginRow, now: string): Promise<void> {
  const { pk, token_hash, source, content, network, network_56 = null, network_48 = null } = row;
  await sql`delete from source_visits where expires <= ${now}`.execute(tx);
  await evictOldest(tx, row);
  await sql`delete from source_visits where pk in (select pk from source_visits
    order by created desc limit 1000 offset ${maxOfAll - 1})`.execute(tx);
  await sql`insert into source_visits (pk, token_hash, source, content, network, network_56, network_48, created, expires)
    values (${pk}, ${token_hash}, ${source}, ${content}, ${network}, ${network_56}, ${network_48}, ${now},
      ${addMilliseconds(now, visitLifetimeMs)}) on conflict do nothing`.execute(tx);
}

type Stored = { readonly pk: string; readonly content: string };

const opened = <T>(key: InstanceKey, row: Stored | undefined): T | null =>
  row ? JSON.parse(key.box.open(row.content, contextOf(row.pk))) : null;

/** The stored content; null if it does not exist or has expired. */
export async function findPendingLogin<P extends keyof Contents>(
  query: Query,
  key: InstanceKey,
  visit: PendingLoginKey<P>,
  now: string,
): Promise<Contents[P] | null> {
  const { rows } = await sql<Stored>`select pk, content from source_visits where token_hash = ${hashOf(key, visit)}
    and source = ${visit.source} and expires > ${now}`.execute(query);
  return opened<Contents[P]>(key, rows[0]);
}

/** The same, and deletes it: each can be used once (replay). The caller specifies the stored type. */
export async function consumePending<P extends keyof Contents, T extends Contents[P] = Contents[P]>(
  tx: Query,
  key: InstanceKey,
  visit: PendingLoginKey<P>,
  now: string,
): Promise<T | null> {
  const { rows } = await sql<Stored>`delete from source_visits where token_hash = ${hashOf(key, visit)}
    and source = ${visit.source} and expires > ${now} returning pk, content`.execute(tx);
  return opened<T>(key, rows[0]);
}

const cookieName = 'gatehouse_source';
const lifetimeSeconds = (2 * visitLifetimeMs) / 1000;

const secretIn = ({ cookies }: Pick<RequestFacts, 'cookies'>, name: string, isSecure: boolean): string | null => {
  const value = cookies[hostCookieName(name, isSecure)];
  return value && /^[\w-]{43}$/.test(value) ? value : null;
};

/** The secret that binds a browser to its pending logins; null before it has one. */
export const browserSecret = (request: Pick<RequestFacts, 'cookies'>, isSecure: boolean): string | null =>
  secretIn(request, cookieName, isSecure);

export const newBrowserSecret = randomToken;

export const browserCookie = (value: string, isSecure: boolean): string =>
  ownCookieHeader({ name: cookieName, value, isSecure, maxAgeSeconds: lifetimeSeconds });

// A walk that waits for a source gets a secret of its own with the result: another tab may come back to another walk,
// and an attacker may have planted the secret that the browser left with (session fixation).
const returnPrefix = `${cookieName}_back_`;
/** Browsers send all of them with each request; the oldest are evicted. */
const maxReturns = 8;

const returnName = (ticket: string): string => `${returnPrefix}${hash('sha256', ticket, 'hex').slice(0, 16)}`;

/** The secret with which the browser came back to the walk that has this ticket. */
export const returnSecret = (
  request: Pick<RequestFacts, 'cookies'>,
  isSecure: boolean,
  ticket: string,
): string | null => secretIn(request, returnName(ticket), isSecure);

export function returnCookies(
  { cookies }: Pick<RequestFacts, 'cookies'>,
  isSecure: boolean,
  ticket: string,
  secret: string,
): string[] {
  const prefix = hostCookieName(returnPrefix, isSecure);
  const others = Object.keys(cookies).filter((name) => name.startsWith(prefix));
  const surplus = others.slice(0, Math.max(0, others.length - maxReturns + 1));
  return [
    ownCookieHeader({ name: returnName(ticket), value: secret, isSecure, maxAgeSeconds: lifetimeSeconds }),
    ...surplus.map((name) =>
      ownCookieHeader({ name: returnPrefix + name.slice(prefix.length), value: '', isSecure, maxAgeSeconds: 0 }),
    ),
  ];
}
