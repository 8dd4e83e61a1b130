import { sql } from 'kysely';
import { groupsOfSql, isSuperuserSql } from '../core/access/rights-sql.ts';
import type { Json } from '../lib/json.ts';
import type { Query } from '../platform/db/database.ts';
import type { Call } from '../resource/call.ts';

/** What a policy is asked about: who, from where, and what is known besides. */
export interface PolicyRequest {
  /** Null is nobody: a policy that needs a user throws then, and what throws denies. */
  readonly user: PolicyUser | null;
  readonly clientIp: string;
  readonly context: Readonly<Record<string, Json>>;
  /** The object that access to is asked for, as expressions may see it. */
  readonly obj: Json;
  readonly http: HttpFacts;
  readonly now: string;
}

/** A user as policies and expressions see one: nothing secret. */
export interface PolicyUser {
  readonly pk: number;
  readonly uuid: string;
  readonly username: string;
  readonly name: string;
  readonly email: string;
  readonly type: string;
  readonly path: string;
  readonly is_active: boolean;
  readonly is_superuser: boolean;
  readonly attributes: Json;
  readonly last_login: string | null;
  readonly date_joined: string;
  readonly password_change_date: string;
  /** The groups the user is in and all above them. */
  readonly groups: readonly PolicyGroup[];
}

export interface PolicyGroup {
  readonly pk: string;
  readonly name: string;
  readonly is_superuser: boolean;
  readonly attributes: Json;
}

export interface HttpFacts {
  readonly method: string;
  readonly path: string;
  readonly host: string;
  readonly user_agent: string;
  readonly client_ip: string;
  readonly request_id: string;
}

export interface Asked {
  readonly user: PolicyUser | null;
  readonly context?: Readonly<Record<string, Json>>;
  readonly obj?: Json;
}

/** The question a call raises about a user. */
export function policyRequest({ request, now }: Call, { user, context = {}, obj = null }: Asked): PolicyRequest {
  const { clientIp, method, path, host, userAgent, id } = request;
  const http = { method, path, host, user_agent: userAgent, client_ip: clientIp, request_id: id };
  return { user, clientIp, context, obj, http, now };
}

type UserRow = Omit<PolicyUser, 'attributes' | 'groups' | 'is_active' | 'is_superuser'> & {
  readonly attributes: string;
  readonly groups: string;
  readonly is_active: boolean | number;
  readonly is_superuser: boolean | number;
};

/** The user with this key, active or not; null when there is none. One statement. */
export async function loadPolicyUser(call: Call, query: Query, pk: number): Promise<PolicyUser | null> {
  const columns = ['pk', 'name', 'is_superuser', 'attributes'].map((alias) => ({
    alias,
    json: alias === 'attributes',
  }));
  const groups = call.db.dialect.jsonArray(
    sql`select g.pk, g.name, g.is_superuser, g.attributes from groups g where g.pk in (${groupsOfSql(sql`${pk}`)}) order by g.name`,
    columns,
  );
  const { rows } = await sql<UserRow>`select u.pk, u.uuid, u.username, u.name, u.email, u.type, u.path, u.is_active,
    u.attributes, u.last_login, u.date_joined, u.password_change_date, ${isSuperuserSql(sql`u.pk`)} as is_superuser,
    ${groups} as groups from users u where u.pk = ${pk}`.execute(query);
  const row = rows[0];
  if (!row) return null;
  const groupRows = JSON.parse(row.groups) as PolicyGroup[];
  return {
    ...row,
    is_active: Boolean(row.is_active),
    is_superuser: Boolean(row.is_superuser),
    attributes: JSON.parse(row.attributes),
    groups: groupRows.map((group) => ({ ...group, is_superuser: Boolean(group.is_superuser) })),
  };
}

/** The person who makes the call, as policies see them. */
export async function callersPolicyUser(call: Call, query: Query): Promise<PolicyUser | null> {
  return call.actor && loadPolicyUser(call, query, call.actor.user.pk);
}
