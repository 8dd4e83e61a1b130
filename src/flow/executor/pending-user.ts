import { avatarOf, defaultAvatars } from '../../core/directory/avatar.ts';
import { loadUserFacts, type UserFacts } from '../../core/mapping/user-facts.ts';
import { cachedSettings } from '../../core/settings/settings.ts';
import { isJsonObject } from '../../lib/json.ts';
import type { RequestFacts } from '../../platform/http/request-facts.ts';
import type { Call } from '../../resource/call.ts';
import type { Row } from '../../resource/fields/field.ts';
import { type JsonSchema, stringSchema } from '../../resource/json-schema.ts';
import type { FlowContext } from './flow-state.ts';
import type { Step } from './stage-kind.ts';

export const pendingUserSchemas: Readonly<Record<string, JsonSchema>> = {
  pending_user: stringSchema,
  pending_user_avatar: stringSchema,
};

/**
 * The user that a screen shows. Somebody who only typed a name sees just that name, whether or not the user exists,
 * unless the identification stage may show matches.
 */
export async function pendingUserMembers({
  call,
  context,
  pendingUser,
}: Pick<Step, 'call' | 'context' | 'pendingUser'>): Promise<Row> {
  const typed = context.pending_user_identifier;
  const user = typed === null || context.show_matched_user === true ? await pendingUser() : null;
  if (user) {
    const attributes = isJsonObject(user.attributes) ? user.attributes : {};
    const { avatars } = await cachedSettings(call.db);
    return { pending_user: user.username, pending_user_avatar: avatarOf(avatars, { ...user, attributes }, call.world) };
  }
  const name = typed ?? '';
  const nobody = { username: name, name, email: '', attributes: {} };
  return { pending_user: name, pending_user_avatar: avatarOf(defaultAvatars, nobody, call.world) };
}

/** The user named on a denial: the walk's, or the signed-in one. */
export async function deniedUserMembers(call: Call, context: FlowContext | null): Promise<Row> {
  const { user } = call.actor ?? { user: { username: '', name: '', email: '', attributes: {} } };
  if (context && pendingKeyOf(context) !== null)
    return pendingUserMembers({ call, context, pendingUser: () => loadPendingUser(call, context) });
  const avatars = call.actor ? (await cachedSettings(call.db)).avatars : defaultAvatars;
  return { pending_user: user.username, pending_user_avatar: avatarOf(avatars, user, call.world) };
}

/** Represents an unknown name. */
const nobody = 0;

/** The user of a walk, `nobody` for an unknown name; null before identification. */
export const pendingKeyOf = ({ pending_user, pending_user_identifier }: FlowContext): number | null =>
  pending_user ?? (pending_user_identifier === null ? null : nobody);

/** Caches the walk's user within one request. Not across requests: response times would reveal who has an account. */
const ofRequests = new WeakMap<RequestFacts, { readonly pk: number; readonly user: Promise<UserFacts | null> }>();

/** The user of a walk. Unknown names cost the same statement as known ones (timing attack). */
export async function loadPendingUser({ db, request }: Call, context: FlowContext): Promise<UserFacts | null> {
  const pk = pendingKeyOf(context);
  if (pk === null) return null;
  const cached = ofRequests.get(request);
  if (cached?.pk === pk) return cached.user;
  const user = loadUserFacts(db.read, pk);
  ofRequests.set(request, { pk, user });
  return user;
}

/** Avoids the statement for a user who was just read or does not exist. */
export const setPendingUserFacts = ({ request }: Call, user: UserFacts | null): void =>
  void ofRequests.set(request, { pk: user?.pk ?? nobody, user: Promise.resolve(user) });

/** Call it after a write in the same request, which may concern the user. */
export const forgetPendingUser = ({ request }: Call): void => void ofRequests.delete(request);

/** The same for one step: read once, and again only if the step changes the user. */
export function pendingUserOf(call: Call, context: FlowContext): Step['pendingUser'] {
  let about: string | undefined;
  let loaded: Promise<UserFacts | null>;
  return () => {
    const now = JSON.stringify([context.pending_user, context.pending_user_identifier]);
    if (about !== now) loaded = loadPendingUser(call, context);
    about = now;
    return loaded;
  };
}
