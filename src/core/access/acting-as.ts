import { sql } from 'kysely';
import { isJsonObject } from '../../lib/json.ts';
import { Problem } from '../../lib/problem.ts';
import type { Actor } from '../../resource/actor.ts';
import type { Call } from '../../resource/call.ts';
import type { UserFacts } from '../mapping/user-facts.ts';

type ActingUser = Pick<
  UserFacts,
  'pk' | 'uuid' | 'username' | 'name' | 'email' | 'type' | 'attributes' | 'is_superuser'
>;

/**
 * The call as made by somebody whom a flow has recognised but who has no session yet: for what they do to themselves, and
 * for events. It brings no permissions.
 */
export function actingAs(call: Call, user: ActingUser): Call {
  if (call.actor?.user.pk === user.pk) return call;
  const { pk, uuid, username, name, email, type, attributes } = user;
  const actor: Actor = {
    user: { pk, uuid, username, name, email, type, attributes: isJsonObject(attributes) ? attributes : {} },
    credential: 'session',
    session: null,
    isSuperuser: user.is_superuser,
    holds: () => false,
    objectsHolding: () => sql`select null`,
  };
  return { ...call, actor };
}

/** Refuses whoever acts as another user: what they make here would let them in as that user after they have stopped. */
export function checkActsForThemselves({ actor }: Call): void {
  if (actor?.impersonator) throw new Problem('permission_denied', 'Nobody can do this for somebody else.');
}
