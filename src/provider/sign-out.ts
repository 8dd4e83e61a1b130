import { sql } from 'kysely';
import { findBrandOfHost } from '../core/brand/brand-of-host.ts';
import { endSession } from '../core/session/session.ts';
import { endedSessionCookies } from '../core/session/session-cookies.ts';
import { type BeginNeeds, beginPlanned } from '../flow/executor/begin-planned.ts';
import { type Call, requireActor } from '../resource/call.ts';

export interface SignedOut {
  /** Where the flow leads; null when it showed nothing, and what was to follow can follow at once. */
  readonly to: string | null;
  readonly cookies: readonly string[];
}

/** Takes the person through the flow that the brand has for signing out, if it has one. It leads on to `next`. */
export async function goThroughSignOut(needs: BeginNeeds, call: Call, next: string): Promise<SignedOut> {
  const slug = await invalidationFlow(call);
  const begun = slug === null ? null : await beginPlanned(needs, call, { slug, context: {}, append: [], next });
  return { to: begun?.outcome === 'asks' ? begun.to : null, cookies: begun?.cookies ?? [] };
}

/** Ends the session of the caller, if the flow has not done so. `app` is the emitter of the event. */
export async function endOwnSession({ publicUrl }: BeginNeeds, call: Call, app: string): Promise<string[]> {
  const session = requireActor(call).session ?? '';
  await call.db.write(async (tx) => {
    if (!(await endSession(tx, session))) return;
    await call.world.record(tx, call, { action: 'logout', app, context: {} });
  });
  return endedSessionCookies(publicUrl.startsWith('https:'));
}

async function invalidationFlow({ request, db }: Call): Promise<string | null> {
  const brand = await findBrandOfHost(request.host, db.read);
  const { rows } = await sql<{ slug: string }>`select f.slug from brands b join flows f on f.pk = b.flow_invalidation
    where b.pk = ${brand?.pk ?? null}`.execute(db.read);
  return rows[0]?.slug ?? null;
}
