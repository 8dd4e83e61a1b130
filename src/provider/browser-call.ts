import { actorOfSession, type SessionNeeds } from '../core/session/session-credential.ts';
import type { Database } from '../platform/db/database.ts';
import type { HttpCall } from '../platform/http/routes.ts';
import { type Call, callOf, type ResourceWorld } from '../resource/call.ts';

export interface BrowserMount {
  readonly db: Database;
  readonly clock: { now(): string };
  readonly world: ResourceWorld;
  readonly sessions: SessionNeeds;
}

/** The call of a browser that is redirected to or from an application. */
export async function browserCall(mount: BrowserMount, http: Pick<HttpCall, 'facts' | 'params'>): Promise<Call> {
  const now = mount.clock.now();
  // Forms cannot send the header that proves them to be ours; where they change something they bring another proof.
  const actor = await actorOfSession(mount.sessions, { ...http.facts, method: 'GET' }, now);
  return callOf(http, mount, { now, actor });
}
