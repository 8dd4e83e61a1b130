import { sql } from 'kysely';
import { Problem } from '../../lib/problem.ts';
import { addMilliseconds } from '../../platform/clock.ts';
import type { Database, Query } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/statement.ts';
import type { Geo } from '../../platform/geo/geo.ts';
import type { RequestFacts } from '../../platform/http/request-facts.ts';
import type { InstanceKey } from '../../platform/keys.ts';
import type { Actor } from '../../resource/access/actor.ts';
import type { NewEvent } from '../../resource/call.ts';
import { type ActorRow, actorColumns, loadActor } from '../access/actor.ts';
import { checkMayImpersonate } from '../access/delegation.ts';
import { isSuperuserSql } from '../access/rights-sql.ts';
import type { Settings } from '../settings/settings.ts';
import { brokenBinding } from './binding.ts';
import { endSession, userAgentText } from './session.ts';
import { checkCsrfProof, cookieNames } from './session-cookies.ts';

export interface SessionNeeds {
  readonly db: Database;
  readonly key: Pick<InstanceKey, 'hash'>;
  /** Whether browsers reach the server over TLS. */
  readonly isSecure: boolean;
  readonly geo: Geo;
  readonly settings: { current(): Promise<Settings> };
  /** Records an audit event for a session that the server ends. */
  record(tx: Query, by: EndedBy, event: NewEvent): Promise<void>;
}

export interface EndedBy {
  readonly actor: Actor;
  readonly request: RequestFacts;
  readonly now: string;
}

interface UserRow extends ActorRow {
  readonly is_active: boolean;
}

interface SessionRow extends UserRow {
  readonly session: string;
  readonly owner: number;
  readonly impersonated: number | null;
  readonly expires: string;
  readonly last_used: string;
  readonly idle_seconds: number | null;
  readonly ends: string | null;
  readonly binding: string | null;
  readonly proven_at: string | null;
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);
const userColumns = sql`${actorColumns}, u.is_active, ${isSuperuserSql(sql`u.pk`)} as is_superuser`;

const sessionOfToken = statement<[hash: string], SessionRow>(
  (hash) => sql`select ${userColumns}, s.pk as session, s."user" as owner, s.impersonated, s.expires,
    s.last_used, s.idle_seconds, s.ends, s.binding, s.proven_at from authenticated_sessions s
    join users u on u.pk = coalesce(s.impersonated, s."user") where s.token_hash = ${hash}`,
);

/** The actor of a session cookie; null without a valid one. */
export async function actorOfSession(needs: SessionNeeds, request: RequestFacts, now: string): Promise<Actor | null> {
  const { db, key, isSecure } = needs;
  const token = request.cookies[cookieNames(isSecure).session];
  if (!token) return null;
  const [row] = await sessionOfToken(db.read, key.hash(token));
  if (!row?.is_active || row.expires <= now) return null;
  const actor = { ...(await loadActor(db, row, 'session', row.session)), provenAt: row.proven_at };
  if (!(await checkBinding(needs, row, { actor, request, now }))) return null;
  if (!safeMethods.has(request.method)) checkCsrfProof({ key, isSecure }, request);
  if (addMilliseconds(row.last_used, touchedEveryMs) <= now) await updateLastUsed(db, row, request, now);
  return row.impersonated === null ? actor : impersonating(needs, row, { actor, request, now });
}

/** A session used outside its binding has been stolen: it ends, for its owner too. */
async function checkBinding({ db, geo, record }: SessionNeeds, row: SessionRow, by: EndedBy): Promise<boolean> {
  if (row.binding === null) return true;
  const broken = brokenBinding(geo, JSON.parse(row.binding), by.request.clientIp);
  if (!broken) return true;
  const context = { logout_reason: 'Session binding broken', binding: broken };
  await db.write(async (tx) => {
    if (await endSession(tx, row.session)) await record(tx, by, { action: 'logout', app: 'svc_core', context });
  });
  return false;
}

/** The right to impersonate is checked on each request: losing it ends the impersonation at once. */
async function impersonating(needs: SessionNeeds, row: SessionRow, by: EndedBy): Promise<Actor | null> {
  const { db, settings, record } = needs;
  const { rows } = await sql<UserRow>`select ${userColumns} from users u where u.pk = ${row.owner}`.execute(db.read);
  const owner = rows[0];
  if (!owner?.is_active) return null;
  const impersonator = await loadActor(db, owner, 'session', row.session);
  const actor: Actor = { ...by.actor, credential: 'impersonated session', impersonator };
  try {
    if (!(await settings.current()).impersonation)
      throw new Problem('permission_denied', 'Impersonation is switched off.');
    await checkMayImpersonate(db.read, impersonator, row.pk);
    return actor;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const context = { message: 'The impersonator may no longer act as this user.' };
    await db.write(async (tx) => {
      const event = { action: 'impersonation_ended', app: 'svc_core', context };
      if (await endSession(tx, row.session)) await record(tx, { ...by, actor }, event);
    });
    return null;
  }
}

/** Frequent enough to show activity, rare enough to cost nothing. */
const touchedEveryMs = 60_000;

async function updateLastUsed(
  db: Database,
  row: SessionRow,
  { clientIp, userAgent }: RequestFacts,
  now: string,
): Promise<void> {
  const { session, expires, idle_seconds, ends } = row;
  const idleUntil = idle_seconds === null ? expires : addMilliseconds(now, idle_seconds * 1000);
  const until = ends !== null && ends < idleUntil ? ends : idleUntil;
  await db.write((tx) =>
    sql`update authenticated_sessions set last_used = ${now}, last_ip = ${clientIp}, expires = ${until},
      last_user_agent = ${userAgentText(userAgent)} where pk = ${session}`.execute(tx),
  );
}
