import { message, type UserMessage, type UserText, verbatim } from '../../lib/texts/message.ts';
import type { Text } from '../../lib/texts/translate.ts';

export const failedToAuthenticate = 'Failed to authenticate.';
export const wrongPassword = 'That password is not right.';
/** Where name and password are entered together, which of them is wrong is not disclosed. */
export const wrongCredentials = 'That name or password is not right.';
export const unavailableMessage = 'Your password cannot be checked at the moment. Please try again later.';

/** Earlier warnings would count down on every typing error. */
const warnsAt = 3;

/**
 * Adds how many attempts are left, once they are few. The limit counts typed names, so this number is the same whether
 * or not the account exists.
 */
export function withTriesLeft(words: Text, left: number): UserText {
  if (left < 1 || left > warnsAt) return words;
  const text = verbatim(words);
  return left === 1
    ? message('{text} 1 try left.', { text })
    : message('{text} {count} tries left.', { text, count: left });
}

/** For attempts that must wait. */
export function lockedOutMessage(waitMs: number, hasRecovery = false): UserMessage {
  const minutes = Math.ceil(waitMs / 60_000);
  const seconds = Math.max(Math.ceil(waitMs / 1000), 2);
  if (minutes > 1)
    return hasRecovery
      ? message('Too many failed attempts. Try again in {count} minutes, or reset your password.', { count: minutes })
      : message('Too many failed attempts. Try again in {count} minutes.', { count: minutes });
  return hasRecovery
    ? message('Too many failed attempts. Try again in {count} seconds, or reset your password.', { count: seconds })
    : message('Too many failed attempts. Try again in {count} seconds.', { count: seconds });
}
