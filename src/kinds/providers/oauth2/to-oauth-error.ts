import { isUnreachable } from '../../../platform/db/unreachable.ts';
import { PasswordQueueFull } from '../../../platform/passwords.ts';
import { OAuthError } from './oauth-error.ts';

export interface OAuthFailure {
  readonly refusal: OAuthError;
  /** The internal error, for the log only. Null if the caller made the error. */
  readonly fault: unknown;
}

/** Whatever was thrown, by a code of the specifications. */
export function toOAuthError(error: unknown): OAuthFailure {
  if (error instanceof OAuthError) {
    return { refusal: error, fault: error.status >= 500 ? (error.cause ?? error) : null };
  }
  if (error instanceof PasswordQueueFull) return { refusal: busy('1'), fault: null };
  if (isUnreachable(error)) return { refusal: busy('5'), fault: error };
  return { refusal: new OAuthError('server_error', 'The server failed.'), fault: error };
}

const busy = (seconds: string) =>
  new OAuthError('temporarily_unavailable', 'The server is busy. Try again shortly.', {
    headers: { 'retry-after': seconds },
  });

/** The same for browsers. Internal errors show only the request id. */
export function toBrowserError(error: unknown, requestId: string): OAuthFailure {
  const refused = toOAuthError(error);
  if (refused.refusal.code !== 'server_error') return refused;
  return {
    ...refused,
    refusal: new OAuthError('server_error', `The server failed. See the server log for request ${requestId}`),
  };
}
