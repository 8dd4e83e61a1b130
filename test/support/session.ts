import { startSession } from '../../src/core/session/session.ts';
import { cookieNames, csrfHeader } from '../../src/core/session/session-cookies.ts';
import { type Api, apiFor } from './api.ts';
import type { TestServer } from './server.ts';

export interface SignedIn {
  readonly pk: string;
  readonly cookie: string;
  readonly csrf: string;
  /** A browser on our pages: its requests bring the cookie and the proof against forgery. */
  readonly browser: Api;
  /** Another site that makes the browser send requests: they bring the cookie alone. */
  readonly otherSite: Api;
}

const hour = 3_600_000;
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';

export interface SignInOptions {
  readonly clientIp?: string;
  readonly userAgent?: string;
  readonly lifetimeMs?: number;
  /** Whether the user has just authenticated; false: the proof is long ago. */
  readonly isProven?: boolean;
}

/** A real session of a user, as signing in makes it. */
export async function signIn(
  { world, url }: TestServer,
  userId: number,
  { clientIp = '203.0.113.7', userAgent = firefox, lifetimeMs = hour, isProven = true }: SignInOptions = {},
): Promise<SignedIn> {
  const now = world.clock.now();
  const session = await world.db.write((tx) =>
    startSession(tx, world.key, { userId, clientIp, userAgent, now, lifetimeMs, isProven }),
  );
  const cookie = `${cookieNames(false).session}=${session.token}`;
  return {
    pk: session.pk,
    cookie,
    csrf: session.csrfToken,
    browser: apiFor(url, { cookie, [csrfHeader]: session.csrfToken }),
    otherSite: apiFor(url, { cookie }),
  };
}
