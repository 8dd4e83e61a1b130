import { loadUserFacts, type UserFacts } from '../core/mapping/user-facts.ts';
import { Invalid } from '../lib/problem.ts';
import { holdsOn } from '../resource/access.ts';
import { requireActor } from '../resource/call.ts';
import { parseKey } from '../resource/read.ts';
import type { ActionInput } from '../resource/resource.ts';

/** Whom a preview is about (`for_user`): the caller, or another whom the caller has the right to preview. */
export async function previewedUser({ call, registry }: Pick<ActionInput, 'call' | 'registry'>): Promise<UserFacts> {
  const actor = requireActor(call);
  const asked = call.request.query.get('for_user');
  if (asked === null || asked === '') return loadUserFacts(call, call.db.read, actor.user.pk) as Promise<UserFacts>;
  if (!/^\d+$/.test(asked)) throw Invalid.field('for_user', 'input must be numerical');
  const users = registry.require('svc_core.user');
  const pk = parseKey(users, asked) as number | null;
  const may = pk !== null && (await holdsOn(actor, 'svc_core.preview_user', users, pk, call.db.read));
  const user = may ? await loadUserFacts(call, call.db.read, pk) : null;
  // Whom the caller may not preview does not exist for them.
  if (!user) throw Invalid.field('for_user', 'User not found');
  return user;
}
