import { sql } from 'kysely';
import { addMilliseconds } from '../../platform/clock.ts';
import type { Query } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/statement.ts';
import type { InstanceKey } from '../../platform/keys.ts';
import { randomToken, randomUuid } from '../../platform/random.ts';
import type { Binding } from './binding.ts';
import { csrfTokenOf } from './session-cookies.ts';

export interface NewSession {
  readonly pk: string;
  /** The cookie's value; only its hash is stored. */
  readonly token: string;
  /** Must be sent in a header with every unsafe request. */
  readonly csrfToken: string;
}

export interface SessionFacts {
  readonly userId: number;
  readonly clientIp: string;
  readonly userAgent: string;
  readonly now: string;
  /** Absolute lifetime. */
  readonly lifetimeMs: number;
  /** Lifetime without use; by default the absolute lifetime. */
  readonly idleMs?: number;
  /** What of the address must not change; by default nothing. */
  readonly binding?: Omit<Binding, 'ip'>;
  /** Authentication methods (RFC 8176); unknown by default. */
  readonly amr?: readonly string[];
  /** Whether the user has just proven who they are; by default not. */
  readonly isProven?: boolean;
  /** Whether by an app password alone: those are for programs, which may lose them, and open no more than a session. */
  readonly isByAppPassword?: boolean;
}

const maxUserAgentLength = 1024;

export async function startSession(
  tx: Query,
  key: Pick<InstanceKey, 'hash'>,
  facts: SessionFacts,
): Promise<NewSession> {
  const token = randomToken();
  const pk = randomUuid();
  const row = columnsOf(key, token, facts);
  await insertSession(tx, pk, facts.userId, ...columns.map((name) => row[name]));
  return { pk, token, csrfToken: csrfTokenOf(key, token) };
}

const insertSession = statement<[pk: string, user: number, ...values: unknown[]], unknown>(
  (...values) => sql`insert into authenticated_sessions (pk, "user", ${sql.join(columns.map((name) => sql.ref(name)))})
    values (${sql.join(values)})`,
);

/** Without a new proof these stay: time of authentication, latest end of the session, binding. */
const unproven = ({ binding, expires, ...others }: ReturnType<typeof columnsOf>) => {
  const atMost = sql`coalesce(ends, expires)`;
  return {
    ...others,
    created: sql`created`,
    ends: atMost,
    expires: sql`case when ${atMost} < ${expires} then ${atMost} else ${expires} end`,
    binding: sql`coalesce(binding, ${binding})`,
    proven_at: sql`proven_at`,
  };
};

/**
 * Renews a session: the cookie changes (session fixation), and grants made in the session stay.
 * Returns null if it is another user's or has ended.
 */
export async function renewSession(
  tx: Query,
  key: Pick<InstanceKey, 'hash'>,
  pk: string,
  facts: SessionFacts,
): Promise<NewSession | null> {
  const token = randomToken();
  const renewed = columnsOf(key, token, facts);
  const kept = facts.isProven ? renewed : unproven(renewed);
  const pairs = Object.entries(facts.isByAppPassword ? { ...kept, proven_at: sql`proven_at` } : kept).map(
    ([name, value]) => sql`${sql.ref(name)} = ${value}`,
  );
  const { rows } = await sql`update authenticated_sessions set ${sql.join(pairs)}
    where pk = ${pk} and "user" = ${facts.userId} and impersonated is null returning pk`.execute(tx);
  return rows.length > 0 ? { pk, token, csrfToken: csrfTokenOf(key, token) } : null;
}

const columns = [
  ...(['token_hash', 'created', 'last_ip', 'last_user_agent', 'last_used', 'expires'] as const),
  ...(['idle_seconds', 'ends', 'binding', 'amr', 'proven_at'] as const),
];

function columnsOf(
  key: Pick<InstanceKey, 'hash'>,
  token: string,
  facts: SessionFacts,
): Record<(typeof columns)[number], unknown> {
  const { now, lifetimeMs, idleMs = lifetimeMs, clientIp, binding, amr = [] } = facts;
  const ends = addMilliseconds(now, lifetimeMs);
  const slides = idleMs < lifetimeMs;
  return {
    token_hash: key.hash(token),
    created: now,
    last_ip: clientIp,
    last_user_agent: userAgentText(facts.userAgent),
    last_used: now,
    expires: slides ? addMilliseconds(now, idleMs) : ends,
    idle_seconds: slides ? Math.ceil(idleMs / 1000) : null,
    ends: slides ? ends : null,
    binding: binding ? JSON.stringify({ ip: clientIp, ...binding } satisfies Binding) : null,
    amr: JSON.stringify(amr),
    proven_at: facts.isProven === true && facts.isByAppPassword !== true ? now : null,
  };
}

/** Ends a user's sessions except `spare`, and those of their impersonators. Returns how many. */
export async function endSessions(tx: Query, userId: number, spare: string | null = null): Promise<number> {
  const others = spare === null ? sql`` : sql` and pk <> ${spare}`;
  const { rows } = await sql`delete from authenticated_sessions
    where ("user" = ${userId} or impersonated = ${userId})${others} returning pk`.execute(tx);
  return rows.length;
}

/** Ends one session; returns false if it had already ended. */
export async function endSession(tx: Query, pk: string): Promise<boolean> {
  const { rows } = await sql`delete from authenticated_sessions where pk = ${pk} returning pk`.execute(tx);
  return rows.length > 0;
}

/** Truncated, and limited to characters that both databases can store. */
export const userAgentText = (text: string): string =>
  text.replaceAll('\u0000', '').slice(0, maxUserAgentLength).toWellFormed();
