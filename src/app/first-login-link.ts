import { sql } from 'kysely';
import { actingAs } from '../core/access/impersonation-guard.ts';
import { pageFrame } from '../core/brand/page-frame.ts';
import { loadUserFacts } from '../core/mapping/user-facts.ts';
import { startSession } from '../core/session/session.ts';
import { sessionCookies } from '../core/session/session-cookies.ts';
import { readForm } from '../lib/read-form.ts';
import { addMilliseconds, type Clock } from '../platform/clock.ts';
import type { Database, Query } from '../platform/db/database.ts';
import { plainPage } from '../platform/http/plain-page.ts';
import type { HttpCall, HttpResponse, Routes } from '../platform/http/routes.ts';
import type { InstanceKey } from '../platform/keys.ts';
import { randomText } from '../platform/random.ts';
import type { ResourceWorld } from '../resource/call.ts';
import { systemCall } from './system-call.ts';

const path = '/if/first-sign-in/';
const lifetimeMs = 60 * 60_000;
const sessionMs = 12 * 60 * 60_000;

/**
 * The link with which a new server's administrator signs in once. Only its hash is stored. It is void after an hour,
 * once it was used, and as soon as the administrator has signed in by any other way.
 */
export async function createFirstLoginLink(
  tx: Query,
  key: InstanceKey,
  { user, now, publicUrl }: { readonly user: number; readonly now: string; readonly publicUrl: string },
): Promise<string> {
  const token = randomText(43);
  await sql`update install set first_link_hash = ${key.hash(token)}, first_link_user = ${user},
    first_link_expires = ${addMilliseconds(now, lifetimeMs)}`.execute(tx);
  return `${publicUrl}${path}?token=${token}`;
}

interface FirstLoginLinkNeeds {
  readonly db: Database;
  readonly key: InstanceKey;
  readonly clock: Clock;
  readonly isSecure: boolean;
  readonly world: ResourceWorld;
}

/** Opening the link shows a button, so that programs that follow links do not use it up. */
export function mountFirstLoginLink(routes: Routes, needs: FirstLoginLinkNeeds): void {
  const { db, key, clock, world } = needs;

  routes.on(['GET'], path, async ({ facts: request }) => {
    const token = request.query.get('token') ?? '';
    const { rows } = await sql`select 1 from install where ${isValid(key, token, clock.now())}`.execute(db.read);
    const frame = await pageFrame({ actor: null, request, db, world });
    if (rows.length === 0) return voidPage(frame);
    return plainPage({
      ...frame,
      title: 'Welcome to your new server',
      paragraphs: ['This signs you in as its administrator. The link works once.'],
      form: { action: path, hidden: { token }, submit: 'Sign in' },
    });
  });

  routes.on(['POST'], path, async (http) => {
    const token = readForm(http.body).get('token') ?? '';
    const cookies = await signIn(needs, http, token);
    if (!cookies) return voidPage(await pageFrame({ actor: null, request: http.facts, db, world }));
    return { status: 303, headers: { location: '/if/admin/', 'set-cookie': cookies, 'cache-control': 'no-store' } };
  });
}

const isValid = (key: InstanceKey, token: string, now: string) => sql`first_link_hash = ${key.hash(token)}
  and first_link_expires > ${now} and exists (select 1 from users u where u.pk = first_link_user and u.is_active
    and u.last_login is null)`;

async function signIn(needs: FirstLoginLinkNeeds, { facts }: HttpCall, token: string): Promise<string[] | null> {
  const { db, key, clock, isSecure, world } = needs;
  const now = clock.now();
  return db.write(async (tx) => {
    const { rows } = await sql<{ user: number }>`update install set first_link_hash = null
      where ${isValid(key, token, now)} returning first_link_user as "user"`.execute(tx);
    const [taken] = rows;
    if (!taken) return null;
    const call = { ...systemCall(db, world, now), request: facts };
    const user = await loadUserFacts(tx, taken.user);
    if (!user) return null;
    await sql`update users set last_login = ${now} where pk = ${user.pk}`.execute(tx);
    const { clientIp, userAgent } = facts;
    const session = await startSession(tx, key, {
      ...{ userId: user.pk, clientIp, userAgent, now },
      lifetimeMs: sessionMs,
      isProven: true,
    });
    await world.record(tx, actingAs(call, user), {
      action: 'login',
      app: 'svc_core',
      context: { auth_method: 'first_link' },
    });
    return sessionCookies(session, isSecure);
  });
}

const voidPage = (frame: Awaited<ReturnType<typeof pageFrame>>): HttpResponse =>
  plainPage({
    ...frame,
    status: 403,
    title: 'This link is invalid or expired',
    paragraphs: ['It works once, and for one hour. Sign in with your password instead.'],
    link: { to: '/', text: 'Sign in' },
  });
