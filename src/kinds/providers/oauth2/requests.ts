import { sql } from 'kysely';
import type { Json } from '../../../lib/json.ts';
import type { Query } from '../../../platform/db/database.ts';
import { type InstanceKey, sealContext } from '../../../platform/keys.ts';
import { randomUuid } from '../../../platform/random.ts';
import type { Call } from '../../../resource/call.ts';
import { OAuthError } from './oauth-error.ts';

/**
 * The purpose of a request. Lookups are by purpose, so that none can be confused with another (token type confusion).
 */
export type Purpose = 'par' | 'device';
export type RequestState = 'waiting' | 'granted' | 'denied';

export interface NewRequest {
  readonly purpose: Purpose;
  /** Unguessable; only its hash is stored. */
  readonly id: string;
  /** The short code that a person types (RFC 8628 §3.2). */
  readonly userCode?: string;
  readonly provider: number;
  readonly user?: number;
  readonly session?: string;
  /** `waiting` by default; set for requests that were decided before they were stored. */
  readonly state?: RequestState;
  readonly content: Readonly<Record<string, Json>>;
  readonly now: string;
  readonly expires: string;
}

/** A pending authorization request. */
export interface StoredRequest {
  readonly pk: string;
  readonly purpose: Purpose;
  readonly provider: number;
  readonly user: number | null;
  readonly session: string | null;
  readonly state: RequestState;
  readonly content: Readonly<Record<string, Json>>;
  readonly created: string;
  readonly expires: string;
}

/** Anyone can use a public client: its rows count towards the anonymous quota. */
export async function checkAnonymousQuota(
  call: Call,
  table: 'oauth2_requests' | 'oauth2_seen',
  method: string | undefined,
): Promise<void> {
  if (method !== 'none' || (await call.world.tryReserve(table, call))) return;
  throw new OAuthError('temporarily_unavailable', 'Too many requests are pending. Try again later.');
}

type Key = Pick<InstanceKey, 'hash' | 'box'>;

export async function storeRequest(tx: Query, key: Key, request: NewRequest): Promise<string> {
  const pk = randomUuid();
  const {
    purpose,
    id,
    userCode,
    provider,
    user = null,
    session = null,
    state = 'waiting',
    content,
    now,
    expires,
  } = request;
  await sql`insert into oauth2_requests (pk, purpose, id_hash, user_code_hash, provider, "user", session, state, content,
      polled, created, expires)
    values (${pk}, ${purpose}, ${idHash(key, purpose, id)}, ${userCode === undefined ? null : userCodeHash(key, userCode)},
      ${provider}, ${user}, ${session}, ${state}, ${key.box.seal(JSON.stringify(content), sealedFor(pk))}, null, ${now},
      ${expires})`.execute(tx);
  return pk;
}

/**
 * The request with this id and purpose; null if there is none. Includes expired requests, which some callers report.
 */
export const findRequest = (query: Query, key: Key, purpose: Purpose, id: string): Promise<StoredRequest | null> =>
  find(query, key, purpose, 'id_hash', idHash(key, purpose, id));

export const findRequestByUserCode = (query: Query, key: Key, userCode: string): Promise<StoredRequest | null> =>
  find(query, key, 'device', 'user_code_hash', userCodeHash(key, userCode));

/** Decides about a pending request; false if it was already decided. */
export async function decideRequest(
  tx: Query,
  pk: string,
  state: 'granted' | 'denied',
  by: { readonly user: number; readonly session: string | null },
): Promise<boolean> {
  const { rows } = await sql`update oauth2_requests set state = ${state}, "user" = ${by.user}, session = ${by.session}
    where pk = ${pk} and state = 'waiting' returning pk`.execute(tx);
  return rows.length > 0;
}

/** Consumes a request; false if it was already consumed. */
export async function consumeRequest(tx: Query, pk: string): Promise<boolean> {
  const { rows } = await sql`delete from oauth2_requests where pk = ${pk} returning pk`.execute(tx);
  return rows.length > 0;
}

/** Records that a device has polled; false if it polled again within the interval. */
export async function countPoll(tx: Query, pk: string, now: string, notSince: string): Promise<boolean> {
  const { rows } = await sql`update oauth2_requests set polled = ${now}
    where pk = ${pk} and (polled is null or polled <= ${notSince}) returning pk`.execute(tx);
  return rows.length > 0;
}

const idHash = (key: Key, purpose: Purpose, id: string) => key.hash(`oauth2 ${purpose} ${id}`);

/** People type it in whatever case, with or without the dash. */
const userCodeHash = (key: Key, userCode: string) =>
  key.hash(`oauth2 user code ${userCode.toUpperCase().replace(/[^A-Z0-9]/g, '')}`);

const sealedFor = (pk: string) => sealContext('oauth2_requests', 'content', pk);

async function find(
  query: Query,
  key: Key,
  purpose: Purpose,
  column: 'id_hash' | 'user_code_hash',
  hash: string,
): Promise<StoredRequest | null> {
  const { rows } = await sql<StoredRequest & { content: string }>`select pk, purpose, provider, "user", session, state,
    content, created, expires from oauth2_requests
    where ${sql.ref(column)} = ${hash} and purpose = ${purpose}`.execute(query);
  const row = rows[0];
  return row ? { ...row, content: JSON.parse(key.box.open(row.content, sealedFor(row.pk))) } : null;
}
