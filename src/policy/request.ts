import { loadUserFacts, type UserFacts } from '../core/mapping/user-facts.ts';
import type { Json } from '../lib/json.ts';
import type { Query } from '../platform/db/database.ts';
import type { Call } from '../resource/call.ts';

/** What a policy is asked about: who, from where, and what is known besides. */
export interface PolicyRequest {
  /** Null is nobody: a policy that needs a user throws then, and what throws denies. */
  readonly user: UserFacts | null;
  readonly clientIp: string;
  readonly context: Readonly<Record<string, Json>>;
  /** The object that access to is asked for, as expressions may see it. */
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

/** The question a call raises about a user. */
export function policyRequest(
  { request, now }: Call,
  { user, context = {}, obj = null }: PolicySubject,
): PolicyRequest {
  const { clientIp, method, path, host, userAgent, id } = request;
  const http = { method, path, host, user_agent: userAgent, client_ip: clientIp, request_id: id };
  return { user, clientIp, context, obj, http, now };
}

/** The person who makes the call, as policies see them. */
export async function callersFacts(call: Call, query: Query): Promise<UserFacts | null> {
  return call.actor && loadUserFacts(call, query, call.actor.user.pk);
}
