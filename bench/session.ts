import type { World } from '../src/app/world.ts';
import { startSession } from '../src/core/session/session.ts';
import { cookieNames } from '../src/core/session/session-cookies.ts';

const dayMs = 86_400_000;

/** The cookie of a user who has just signed in. */
export async function sessionCookie({ db, key, clock }: World, userId: number): Promise<string> {
  const facts = { userId, clientIp: '127.0.0.1', userAgent: 'bench', now: clock.now(), lifetimeMs: dayMs };
  const { token } = await db.write((tx) => startSession(tx, key, { ...facts, amr: ['pwd'] }));
  return `${cookieNames(false).session}=${token}`;
}
