import { errorFacts } from '../../lib/error-facts.ts';
import { describeConnectionError } from '../connection-error.ts';

export type OutboundReason =
  | 'blocked'
  | 'timeout'
  | 'unreachable'
  | 'too-large'
  | 'redirect'
  | 'bad-url'
  | 'bad-answer';

/** Why an outgoing call failed. The message names at most the host: paths, queries and headers may hold secrets. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly reason: OutboundReason;

  constructor(reason: OutboundReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

const timeoutCodes: ReadonlySet<unknown> = new Set([
  'ETIMEDOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
]);

/** Maps lower-level errors to this class. */
export function explainFailure(error: unknown, host: string, isPastDeadline: boolean): OutboundError {
  if (error instanceof OutboundError) return error;
  const { code } = errorFacts(error);
  if (isPastDeadline || timeoutCodes.has(code)) {
    return new OutboundError('timeout', `${host} took too long to answer`, { cause: error });
  }
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return new OutboundError('too-large', `the headers of ${host} are too large`, { cause: error });
  }
  if (code === 'UND_ERR_INVALID_ARG') {
    return new OutboundError('bad-url', `the request to ${host} cannot be written as HTTP`, { cause: error });
  }
  const trouble = describeConnectionError(code);
  const why = trouble === null ? '' : `: ${trouble}`;
  return new OutboundError('unreachable', `${host} cannot be reached${why}`, { cause: error });
}

export const blockedWords = (host: string): string =>
  `${host} is at an address that outgoing calls may not reach; GATEHOUSE_OUTBOUND_ALLOW can allow it`;
