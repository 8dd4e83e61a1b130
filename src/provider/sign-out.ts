import { endSession } from '../core/session/session.ts';
import { endedSessionCookies } from '../core/session/session-cookies.ts';
import { brandFlows } from '../flow/brand-flows.ts';
import type { FindLogoutRedirect } from '../flow/executor/logout-redirects.ts';
import { type StartDependencies, startPlannedFlow } from '../flow/executor/start-planned-flow.ts';
import { type Call, requireActor } from '../resource/call.ts';
import { slugOf } from './authorize/sign-in-first.ts';

export interface SignOutNeeds extends StartDependencies {
  readonly findLogoutRedirect: FindLogoutRedirect;
}

export interface SignedOut {
  /** Where the browser goes first; null if it can go to `next` directly. */
  readonly to: string | null;
  readonly cookies: readonly string[];
}

/** What an application decides about its sign-out. */
interface SigningOut {
  /** The path to continue at afterwards. */
  readonly next: string;
  /** The emitter of the event. */
  readonly app: string;
  /** The flow of its provider; null for the brand's. */
  readonly flow: string | null;
}

/**
 * Runs the invalidation flow, which redirects to `next`. Without one, or where it shows nothing,
 * the session ends here, and the browser is redirected to applications with front-channel logout.
 */
export async function startSignOut(
  needs: SignOutNeeds,
  call: Call,
  { next, app, flow }: SigningOut,
): Promise<SignedOut> {
  const { db, request } = call;
  const slug = (await slugOf(db.read, flow)) ?? (await brandFlows(db, request.host)).flow_invalidation;
  const begun = slug === null ? null : await startPlannedFlow(needs, call, { slug, context: {}, append: [], next });
  if (begun?.outcome === 'asks') return { to: begun.to, cookies: begun.cookies };
  // Determined before the session ends.
  const logoutRedirect = await needs.findLogoutRedirect(call, requireActor(call).session ?? '');
  const ended = await endOwnSession(needs, call, app);
  const to = logoutRedirect?.(next) ?? next;
  return { to: to === next ? null : to, cookies: [...new Set([...(begun?.cookies ?? []), ...ended])] };
}

/** Ends the session of the caller, if the flow has not done so. `app` is the emitter of the event. */
export async function endOwnSession(
  { publicUrl }: Pick<StartDependencies, 'publicUrl'>,
  call: Call,
  app: string,
): Promise<string[]> {
  const session = requireActor(call).session ?? '';
  await call.db.write(async (tx) => {
    if (!(await endSession(tx, session))) return;
    await call.world.record(tx, call, { action: 'logout', app, context: {} });
  });
  return endedSessionCookies(publicUrl.startsWith('https:'));
}
