import { avatarOf, defaultAvatars } from '../../core/directory/avatar.ts';
import type { Row } from '../../resource/fields/field.ts';
import { type JsonSchema, stringSchema } from '../../resource/json-schema.ts';
import type { Step } from './stage-kind.ts';

export const pendingUserSchemas: Readonly<Record<string, JsonSchema>> = {
  pending_user: stringSchema,
  pending_user_avatar: stringSchema,
};

/**
 * Whom a screen greets. Who has only typed a name sees that name and nothing else, whether or not it is anybody's, unless
 * the stage that asked for it may show whom it found.
 */
export async function pendingUserMembers({ context, pendingUser }: Step): Promise<Row> {
  const typed = context.pending_user_identifier;
  const user = typed === null || context.show_matched_user === true ? await pendingUser() : null;
  if (user) {
    const attributes = user.attributes as Record<string, unknown>;
    return { pending_user: user.username, pending_user_avatar: avatarOf(defaultAvatars, { ...user, attributes }) };
  }
  const name = typed ?? '';
  const nobody = { username: name, name, email: '', attributes: {} };
  return { pending_user: name, pending_user_avatar: avatarOf(defaultAvatars, nobody) };
}
