import { avatarOf, defaultAvatars } from '../../core/directory/avatar.ts';
import { loadUserFacts, type UserFacts } from '../../core/mapping/user-facts.ts';
import { cachedSettings } from '../../core/settings/settings.ts';
import { isJsonObject } from '../../lib/json.ts';
import type { Call } from '../../resource/call.ts';
import { type JsonSchema, stringSchema } from '../../resource/document/json-schema.ts';
import type { Row } from '../../resource/fields/field.ts';
import type { FlowContext } from './flow-state.ts';
import type { Step } from './stage-kind.ts';

export const pendingUserSchemas: Readonly<Record<string, JsonSchema>> = {
  pending_user: stringSchema,
  pending_user_avatar: stringSchema,
};

/**
 * The user that a screen shows. A visitor who only typed a name sees just that name, whether or not the user exists,
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

/** The user whom a walk is about. Unknown names cost the same statement as known ones. */
export async function loadPendingUser({ db }: Call, context: FlowContext): Promise<UserFacts | null> {
  const pk = pendingKeyOf(context);
  return pk === null ? null : loadUserFacts(db.read, pk);
}

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
