import { applicationTarget, type EvaluateAccess } from '../../../core/application/application-access.ts';
import { MappingFailed } from '../../../core/mapping/evaluate.ts';
import { loadUserFacts } from '../../../core/mapping/user-facts.ts';
import { addMilliseconds } from '../../../platform/clock.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import type { Call } from '../../../resource/call.ts';
import type { HostProvider, HostSession } from './guarded-host.ts';
import { type HeaderList, type IdentityNeeds, identityOf } from './identity.ts';
import { loadProtected } from './protected-application.ts';
import { endProxySession, noteChecked, openHeaders } from './proxy-sessions.ts';

/** The headers of a session now; null if there are none, or its user has lost the access, which ends it. */
export type Recheck = (call: Call, provider: HostProvider, session: HostSession) => Promise<HeaderList | null>;

interface ProxyRecheckNeeds extends IdentityNeeds {
  readonly key: InstanceKey;
  readonly evaluateAccess: EvaluateAccess;
}

/** How old a decision of the policies may be. */
const everyMs = 60_000;

/**
 * Evaluates the policies of the application again for a session whose last check is a minute old, and what its headers
 * say. Requests that come meanwhile wait for the same answer.
 */
export function createRecheck(needs: ProxyRecheckNeeds): Recheck {
  const running = new Map<string, Promise<HeaderList | null>>();

  async function recheck(call: Call, provider: HostProvider, session: HostSession): Promise<HeaderList | null> {
    const { now, db } = call;
    const [application, user] = await Promise.all([
      loadProtected(db.read, { provider: provider.pk }),
      loadUserFacts(db.read, session.user),
    ]);
    const target = application && applicationTarget(application.application);
    // Side effects of policies are for signing in.
    const answers =
      target && user?.is_active ? await needs.evaluateAccess(call, user.pk, [target], { dryRun: true }) : null;
    if (!application || !target || !user || answers?.get(target.pk)?.passing !== true) {
      await db.write((tx) => endProxySession(tx, session.pk));
      return null;
    }
    const headers = await identityOf(needs, db.read, { application, user, now, expires: session.expires }).catch(
      (error) => {
        // Users sign in again, which fails with a page and an event that say why.
        if (error instanceof MappingFailed) return null;
        throw error;
      },
    );
    if (headers === null) return null;
    await db.write((tx) => noteChecked(tx, needs.key, session.pk, headers, now), { durable: false });
    return headers;
  }

  return async (call, provider, session) => {
    if (addMilliseconds(session.checked, everyMs) > call.now) return openHeaders(needs.key, session);
    const known = running.get(session.pk);
    if (known) return known;
    const own = recheck(call, provider, session).finally(() => running.delete(session.pk));
    running.set(session.pk, own);
    return own;
  };
}
