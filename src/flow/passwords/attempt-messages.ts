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
export function withTriesLeft(text: string, left: number): string {
  if (left < 1 || left > warnsAt) return text;
  return left === 1 ? `${text} 1 try left.` : `${text} ${left} tries left.`;
}

/** For attempts that must wait. */
export function lockedOutMessage(waitMs: number, hasRecovery = false): string {
  const minutes = Math.ceil(waitMs / 60_000);
  const seconds = Math.max(Math.ceil(waitMs / 1000), 2);
  if (minutes > 1)
    return hasRecovery
      ? `Too many failed attempts. Try again in ${minutes} minutes, or reset your password.`
      : `Too many failed attempts. Try again in ${minutes} minutes.`;
  return hasRecovery
    ? `Too many failed attempts. Try again in ${seconds} seconds, or reset your password.`
    : `Too many failed attempts. Try again in ${seconds} seconds.`;
}
