import { loadUserFacts, type UserFacts } from '../core/mapping/user-facts.ts';
import type { Json } from '../lib/json.ts';
import type { Query } from '../platform/db/database.ts';
import type { Call } from '../resource/call.ts';

/** The input of a policy: user, request, context. */
export interface PolicyRequest {
  /** Null if unknown: a policy that needs a user throws, which denies. */
  readonly user: UserFacts | null;
  readonly clientIp: string;
  readonly context: Readonly<Record<string, Json>>;
  /** The object that access is requested to, as expressions see it. */
  readonly obj: Json;
  readonly http: HttpFacts;
  readonly now: string;
}

export type HttpFacts = {
  readonly method: string;
  readonly path: string;
  readonly host: string;
  readonly user_agent: string;
  readonly client_ip: string;
  readonly request_id: string;
};

export interface PolicySubject {
  readonly user: UserFacts | null;
  readonly context?: Readonly<Record<string, Json>>;
  readonly obj?: Json;
}

/** Builds the policy request of a call about a user. */
export function policyRequest(
  { request, now }: Call,
  { user, context = {}, obj = null }: PolicySubject,
): PolicyRequest {
  const { clientIp, method, path, host, userAgent, id } = request;
  const http = { method, path, host, user_agent: userAgent, client_ip: clientIp, request_id: id };
  return { user, clientIp, context: withPendingUser(context, user), obj, http, now };
}

/** Flows keep the key of the pending user; policies see the user, as `user`. */
function withPendingUser(context: PolicyRequest['context'], user: UserFacts | null): PolicyRequest['context'] {
  return typeof context.pending_user === 'number' ? { ...context, pending_user: user } : context;
}

/** The caller, as policies see them. */
export async function callersFacts(call: Call, query: Query): Promise<UserFacts | null> {
  return call.actor && loadUserFacts(query, call.actor.user.pk);
}
