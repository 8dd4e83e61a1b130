import { sql } from 'kysely';
import { equalInConstantTime } from '../../lib/constant-time.ts';
import { Problem } from '../../lib/problem.ts';
import { addMilliseconds } from '../../platform/clock.ts';
import type { Database, Query } from '../../platform/db/database.ts';
import type { InstanceKey } from '../../platform/keys.ts';
import { randomText, randomUuid } from '../../platform/random.ts';
import type { Actor } from '../../resource/actor.ts';
import type { RequestFacts } from '../../resource/call.ts';
import { type ActorRow, actorColumns, loadActor } from '../access/actor.ts';
import { isSuperuserSql } from '../access/rights-sql.ts';
import { cookieNames, csrfHeader } from './session-cookies.ts';

export interface NewSession {
  readonly pk: string;
  /** The cookie's value; only its hash is stored. */
  readonly token: string;
  /** Must come back in a header with every unsafe request. */
  readonly csrfToken: string;
}

export interface SessionFacts {
  readonly userId: number;
  readonly clientIp: string;
  readonly userAgent: string;
  readonly now: string;
  readonly lifetimeMs: number;
}

const longestUserAgent = 1024;

export async function startSession(
  tx: Query,
  key: Pick<InstanceKey, 'hash'>,
  facts: SessionFacts,
): Promise<NewSession> {
  const token = randomText(43);
  const pk = randomUuid();
  await sql`insert into authenticated_sessions (pk, token_hash, "user", created, last_ip, last_user_agent, last_used, expires)
    values (${pk}, ${key.hash(token)}, ${facts.userId}, ${facts.now}, ${facts.clientIp}, ${userAgentText(facts.userAgent)},
      ${facts.now}, ${addMilliseconds(facts.now, facts.lifetimeMs)})`.execute(tx);
  return { pk, token, csrfToken: csrfTokenOf(key, token) };
}

/** Ends every session of a user but the one that is spared. */
export async function endSessions(tx: Query, userId: number, spare: string | null = null): Promise<void> {
  const others = spare === null ? sql`` : sql` and pk <> ${spare}`;
  await sql`delete from authenticated_sessions where "user" = ${userId}${others}`.execute(tx);
}

export interface SessionNeeds {
  readonly db: Database;
  readonly key: Pick<InstanceKey, 'hash'>;
  /** Whether browsers reach the server over TLS. */
  readonly isSecure: boolean;
}

interface SessionRow extends ActorRow {
  readonly session: string;
  readonly is_active: boolean | number;
  readonly expires: string;
  readonly last_used: string;
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Who comes with a session cookie; null without one, or with one that is not (or no longer) good. */
export async function actorOfSession(
  { db, key, isSecure }: SessionNeeds,
  request: RequestFacts,
  now: string,
): Promise<Actor | null> {
  const token = request.cookies[cookieNames(isSecure).session];
  if (!token) return null;
  const { rows } = await sql<SessionRow>`select ${actorColumns}, u.is_active, s.pk as session, s.expires, s.last_used,
    ${isSuperuserSql(sql`u.pk`)} as is_superuser
    from authenticated_sessions s join users u on u.pk = s."user" where s.token_hash = ${key.hash(token)}`.execute(
    db.read,
  );
  const row = rows[0];
  if (!row?.is_active || row.expires <= now) return null;
  if (!safeMethods.has(request.method)) {
    const proof = request.header(csrfHeader);
    if (!proof || !equalInConstantTime(proof, csrfTokenOf(key, token))) throw new Problem('csrf_failed');
  }
  if (addMilliseconds(row.last_used, touchedEveryMs) <= now) await touch(db, row.session, request, now);
  return loadActor(db, row, row.session);
}

/** Often enough to tell who is there, seldom enough to cost nothing. */
const touchedEveryMs = 60_000;

async function touch(db: Database, pk: string, { clientIp, userAgent }: RequestFacts, now: string): Promise<void> {
  await db.write((tx) =>
    sql`update authenticated_sessions set last_used = ${now}, last_ip = ${clientIp},
      last_user_agent = ${userAgentText(userAgent)} where pk = ${pk}`.execute(tx),
  );
}

/** As much as is kept of it, in text both databases can store. */
const userAgentText = (text: string): string => text.replaceAll('\u0000', '').slice(0, longestUserAgent).toWellFormed();

const csrfTokenOf = (key: Pick<InstanceKey, 'hash'>, token: string): string => key.hash(`csrf:${token}`);
