import { Invalid, messagesOf } from '../../lib/problem.ts';

/** The message of an error. A host tried at several addresses fails with an AggregateError without a message. */
export function errorText(error: unknown): string {
  if (error instanceof AggregateError && !error.message) return error.errors.map(errorText).join('; ');
  if (error instanceof Invalid) return messagesOf(error.complaints).join(' ');
  if (error instanceof Error) return error.message || error.name;
  return String(error);
}
