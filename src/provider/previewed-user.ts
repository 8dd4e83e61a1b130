import { loadUserFacts, type UserFacts } from '../core/mapping/user-facts.ts';
import { Invalid } from '../lib/problem.ts';
import { holdsOn } from '../resource/access/access.ts';
import type { Answer } from '../resource/answer.ts';
import { requireActor } from '../resource/call.ts';
import { integerSchema, objectSchema } from '../resource/document/json-schema.ts';
import { parseKey } from '../resource/read/read.ts';
import type { ActionInput } from '../resource/resource.ts';

/** The parameter for the user of a preview. */
export const previewQuery = {
  for_user: {
    ...integerSchema,
    'x-field': { kind: 'reference', label: 'User', model: 'svc_core.user', help: 'Yourself, if no user is chosen.' },
  },
};

export const previewAnswer: Answer = {
  status: 200,
  schema: objectSchema({ preview: { type: 'object', additionalProperties: true } }),
  schemaName: 'PropertyMappingPreview',
};

/** Whom a preview is about (`for_user`): the caller, or another whom the caller has the right to preview. */
export async function previewedUser({ call, registry }: Pick<ActionInput, 'call' | 'registry'>): Promise<UserFacts> {
  const actor = requireActor(call);
  const text = call.request.query.get('for_user') || String(actor.user.pk);
  if (!/^\d+$/.test(text)) throw Invalid.field('for_user', 'input must be numerical');
  const users = registry.require('svc_core.user');
  const pk = Number(parseKey(users, text));
  const may = pk === actor.user.pk || (await holdsOn(actor, 'svc_core.preview_user', users, pk, call.db.read));
  const user = may ? await loadUserFacts(call.db.read, pk) : null;
  // Whom the caller may not preview does not exist for them.
  if (!user) throw Invalid.field('for_user', 'User not found');
  return user;
}
