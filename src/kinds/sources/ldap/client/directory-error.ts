import { errorFacts } from '../../../../lib/error-facts.ts';
import { describeConnectionError } from '../../../../platform/connection-error.ts';

/**
 * `unreachable`: no usable answer came, so nothing is known. `refused`: the name or the password is wrong. `result`:
 * the server answered with another error.
 */
export type DirectoryReason = 'unreachable' | 'refused' | 'result';

/** Why a directory could not be used. The message is for administrators; it contains no password. */
export class DirectoryError extends Error {
  override readonly name = 'DirectoryError';
  readonly reason: DirectoryReason;
  /** The LDAP result code, if there was one. */
  readonly code: number | null;

  constructor(reason: DirectoryReason, message: string, code: number | null = null, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
    this.code = code;
  }
}

export function unreachable(server: string, error: unknown): DirectoryError {
  if (error instanceof DirectoryError) return error;
  const why = describeConnectionError(errorFacts(error).code);
  return new DirectoryError('unreachable', `${server} cannot be reached${why ? `: ${why}` : ''}`, null, {
    cause: error,
  });
}
