import { sql } from 'kysely';
import { asObject } from '../../lib/json.ts';
import { Problem } from '../../lib/problem.ts';
import type { Actor } from '../../resource/access/actor.ts';
import { notImpersonating } from '../../resource/access/credentials.ts';
import type { Call } from '../../resource/call.ts';
import type { UserFacts } from '../mapping/user-facts.ts';

type ActingUser = Pick<
  UserFacts,
  'pk' | 'uuid' | 'username' | 'name' | 'email' | 'type' | 'attributes' | 'is_superuser'
>;

/**
 * The call as made by a user whom a flow has identified but who has no session yet: for changes to their own account,
 * and for events. It carries no permissions.
 */
export function actingAs(call: Call, user: ActingUser): Call {
  if (call.actor?.user.pk === user.pk) return call;
  const { pk, uuid, username, name, email, type, attributes } = user;
  const actor: Actor = {
    user: { pk, uuid, username, name, email, type, attributes: asObject(attributes) },
    credential: 'session',
    session: null,
    isSuperuser: user.is_superuser,
    holds: () => false,
    objectsHolding: () => sql`select null`,
  };
  return { ...call, actor };
}

/** Rejects impersonators: what they create here would outlive the impersonation. */
export function checkNotImpersonating({ actor }: Pick<Call, 'actor'>): void {
  if (actor?.impersonator) throw new Problem('permission_denied', notImpersonating);
}
