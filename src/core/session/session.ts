import { sql } from 'kysely';
import { addMilliseconds } from '../../platform/clock.ts';
import type { Query } from '../../platform/db/database.ts';
import type { InstanceKey } from '../../platform/keys.ts';
import { randomText, randomUuid } from '../../platform/random.ts';
import type { Binding } from './binding.ts';
import { csrfTokenOf } from './session-cookies.ts';

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
  /** How long it lasts at most. */
  readonly lifetimeMs: number;
  /** How long it lasts without being used; as long as it lasts at all by default. */
  readonly idleMs?: number;
  /** What of its address must stay the same; nothing by default. */
  readonly binding?: Omit<Binding, 'ip'>;
}

const longestUserAgent = 1024;

export async function startSession(
  tx: Query,
  key: Pick<InstanceKey, 'hash'>,
  facts: SessionFacts,
): Promise<NewSession> {
  const { now, lifetimeMs, idleMs = lifetimeMs, clientIp, binding } = facts;
  const token = randomText(43);
  const pk = randomUuid();
  const ends = addMilliseconds(now, lifetimeMs);
  const slides = idleMs < lifetimeMs;
  await sql`insert into authenticated_sessions (pk, token_hash, "user", created, last_ip, last_user_agent, last_used, expires,
      idle_seconds, ends, binding)
    values (${pk}, ${key.hash(token)}, ${facts.userId}, ${now}, ${clientIp}, ${userAgentText(facts.userAgent)}, ${now},
      ${slides ? addMilliseconds(now, idleMs) : ends}, ${slides ? Math.ceil(idleMs / 1000) : null}, ${slides ? ends : null},
      ${binding ? JSON.stringify({ ip: clientIp, ...binding } satisfies Binding) : null})`.execute(tx);
  return { pk, token, csrfToken: csrfTokenOf(key, token) };
}

/** Ends every session of a user but the one that is spared, and those of others who act as them. How many those were. */
export async function endSessions(tx: Query, userId: number, spare: string | null = null): Promise<number> {
  const others = spare === null ? sql`` : sql` and pk <> ${spare}`;
  const { rows } = await sql`delete from authenticated_sessions
    where ("user" = ${userId} or impersonated = ${userId})${others} returning pk`.execute(tx);
  return rows.length;
}

/** Ends one session; false when it had ended before. */
export async function endSession(tx: Query, pk: string): Promise<boolean> {
  const { rows } = await sql`delete from authenticated_sessions where pk = ${pk} returning pk`.execute(tx);
  return rows.length > 0;
}

/** As much as is kept of it, in text both databases can store. */
export const userAgentText = (text: string): string =>
  text.replaceAll('\u0000', '').slice(0, longestUserAgent).toWellFormed();
