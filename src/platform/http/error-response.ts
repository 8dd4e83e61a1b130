import { Invalid, Problem } from '../../lib/problem.ts';
import { isUnreachable } from '../db/unreachable.ts';
import { PasswordQueueFull } from '../passwords.ts';
import { type HttpResponse, json } from './routes.ts';

/** The JSON response for an error. Faults are logged and reveal no internals. */
export function toErrorResponse(error: unknown, requestId: string): HttpResponse {
  if (error instanceof Problem || error instanceof Invalid) {
    const headers = error instanceof Problem ? error.headers : {};
    return json(error.status, error.body(), { ...notStored, ...headers });
  }
  if (error instanceof PasswordQueueFull) return busy('1');
  if (isUnreachable(error)) return { ...busy('5'), fault: error };
  return { ...json(500, faultBody(requestId), notStored), fault: error };
}

const notStored = { 'cache-control': 'no-store' };

const busy = (seconds: string): HttpResponse =>
  json(503, new Problem('unavailable').body(), { ...notStored, 'retry-after': seconds });

const faultBody = (requestId: string) => ({
  detail: 'The server met a fault. It is recorded under the request id.',
  code: 'internal_error',
  request_id: requestId,
});
