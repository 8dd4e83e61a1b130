import { Problem } from '../lib/problem.ts';
import type { Hosted } from '../platform/http/hosted.ts';
import type { Actor } from '../resource/access/actor.ts';
import type { ResourceWorld } from '../resource/call.ts';
import type { Registry } from '../resource/resource.ts';
import type { EndDependencies } from './executor/end-walk.ts';
import type { FindLogoutRedirect, LogoutRedirect } from './executor/logout-redirects.ts';
import type { KeySet, ProtocolKind, RouteServer } from './protocol-kind.ts';

type Kinds = readonly ProtocolKind[];

/** Dispatches each step of a plan to the kind that planned it. */
export function appendBy(kinds: Kinds, registry: Registry): EndDependencies['append'] {
  const appenders = new Map(kinds.map(({ resource, append }) => [resource.model, append]));
  return async (step, state, tx, call) => {
    const append = appenders.get(step.kind);
    if (!append) throw new Problem('permission_denied', 'Access denied.');
    await append(step, state, tx, call, registry);
  };
}

/** The detours of all kinds, chained. */
export const chainLogoutRedirects =
  (kinds: Kinds): FindLogoutRedirect =>
  async (call, session) => {
    const found: LogoutRedirect[] = [];
    for (const { findLogoutRedirect } of kinds) {
      const logoutRedirect = await findLogoutRedirect?.(call, session);
      if (logoutRedirect) found.push(logoutRedirect);
    }
    return found.length === 0
      ? null
      : (to) => found.reduceRight((onward, logoutRedirect) => logoutRedirect(onward), to);
  };

/** Records events, and passes them to the kinds in the same transaction. */
export function recordingFor(
  kinds: readonly Pick<Kinds[number], 'afterEvent'>[],
  record: ResourceWorld['record'],
): ResourceWorld['record'] {
  const watching = kinds.filter(({ afterEvent }) => afterEvent);
  return async (tx, call, event) => {
    await record(tx, call, event);
    for (const kind of watching) await kind.afterEvent?.(tx, call, event);
  };
}

/** The key sets that objects of all kinds publish. */
export const keySetsBy =
  (kinds: Kinds): RouteServer['keySets'] =>
  async (objects, query) => {
    const found: KeySet[] = [];
    for (const kind of kinds) found.push(...((await kind.keySets?.(objects, query)) ?? []));
    return found;
  };

/** The access tokens that a user has at objects of all kinds. */
export const accessTokensBy =
  (kinds: Kinds, registry: Registry): RouteServer['accessTokens'] =>
  async (wanted, call) => {
    const found: Record<string, string> = {};
    for (const kind of kinds) Object.assign(found, await kind.accessTokens?.(wanted, call, registry));
    return found;
  };

/** The actor of a bearer token, from the first kind that recognizes it. */
export const bearerBy =
  (kinds: Kinds) =>
  async (token: string, now: string): Promise<Actor | null> => {
    for (const kind of kinds) {
      const actor = await kind.actorOfBearer?.(token, now);
      if (actor) return actor;
    }
    return null;
  };

/** The hosts that kinds serve; the first match serves the request. */
export function hostedBy(kinds: Kinds, server: () => RouteServer): Hosted {
  let known: readonly Hosted[] | null = null;
  const all = () => {
    known ??= kinds.flatMap((kind) => kind.hosted?.(server()) ?? []);
    return known;
  };
  return {
    isForeign: (facts) => all().some((one) => one.isForeign(facts)),
    async serve(request) {
      for (const one of all()) {
        const answer = await one.serve(request);
        if (answer) return answer;
      }
      return null;
    },
    async upgrade(request) {
      for (const one of all()) {
        const answer = await one.upgrade(request);
        if (answer) return answer;
      }
      return null;
    },
  };
}
