import { isProven, setPendingUser } from '../../../flow/executor/flow-state.ts';
import { pendingKeyOf } from '../../../flow/executor/pending-user.ts';
import type { Step } from '../../../flow/executor/stage-kind.ts';
import { parseDuration } from '../../../lib/duration.ts';
import { Invalid, messagesOf, Problem } from '../../../lib/problem.ts';
import { message, sentences, type UserMessage, type UserText, verbatim } from '../../../lib/texts/message.ts';
import { addMilliseconds } from '../../../platform/clock.ts';
import type { RowOf } from '../../../resource/resource.ts';
import type { ExternalIdentity } from '../../../source/external-identity.ts';
import { connectFirstMessage, identifyUser, type SignInNeeds } from '../../../source/sign-in.ts';
import type { sourceStage } from './source-stage.resource.ts';

/** Identifies the user linked to the account. Returns null on success, else an error message for the person. */
export async function identifySourceUser(
  needs: SignInNeeds,
  step: Step,
  external: ExternalIdentity,
): Promise<UserText | null> {
  const { context } = step;
  const { source, sourceResource } = external;
  const { user, isUnproven } = await identifyUser(needs, external, step.call);
  if (!user) return message('No user is linked to this account of {name}.', { name: source.name });
  const expected = pendingKeyOf(context);
  if (expected !== null && expected !== user.pk)
    return message('This account of {name} is linked to another user.', { name: source.name });
  if (isUnproven && !(expected === user.pk && isProven(context))) return connectFirstMessage(source);
  const { pk, slug, name } = source;
  setPendingUser(context, user.pk);
  context.is_sso = true;
  context.source = { pk, slug, name, model: sourceResource.model };
  context.auth_method ??= 'source';
  return null;
}

/** Users get at least this long to sign in at another server. */
const minMs = 60_000;

export type SourceStep = Step<RowOf<ReturnType<typeof sourceStage>>>;

export const expiryOf = ({ settings, call }: SourceStep): string =>
  addMilliseconds(call.now, Math.max(minMs, parseDuration(settings.resume_timeout) ?? 0));

export function errorText(error: unknown): UserMessage {
  if (error instanceof Problem) return error.words;
  if (error instanceof Invalid) return sentences(messagesOf(error.complaints)) ?? verbatim('');
  throw error;
}
