import { Invalid, Problem } from '../../../../lib/problem.ts';
import { isUnreachable } from '../../../../platform/db/unreachable.ts';
import type { HttpResponse } from '../../../../platform/http/routes.ts';
import { ScimError } from '../protocol/scim-error.ts';

export const mediaType = 'application/scim+json';

/** RFC 7644, section 3.12 */
export const errorBody = ({ status, scimType, message }: ScimError): Record<string, unknown> => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
  status: String(status),
  ...(scimType !== null && { scimType }),
  detail: message,
});

/** The SCIM error of an exception. Null for internal errors. */
export function scimErrorOf(error: unknown): ScimError | null {
  if (error instanceof ScimError) return error;
  if (error instanceof Problem) return new ScimError(error.status, error.message);
  if (error instanceof Invalid) return new ScimError(400, wordsOf(error), 'invalidValue');
  if (isUnreachable(error)) return new ScimError(503, 'The service is busy. Try again shortly.');
  return null;
}

const wordsOf = ({ complaints }: Invalid): string =>
  Object.entries(complaints)
    .map(([name, words]) => `${name}: ${Object.values(words).flat().join(' ')}`)
    .join(' ');

export function answerError(error: unknown, requestId: string): HttpResponse {
  const known = scimErrorOf(error);
  const shown =
    known ?? new ScimError(500, `The server met a fault. It is recorded under the request id ${requestId}.`);
  const { status } = shown;
  return {
    status,
    headers: {
      'content-type': mediaType,
      'cache-control': 'no-store',
      ...(status === 401 && { 'www-authenticate': 'Bearer realm="gatehouse"' }),
      ...(status === 429 && { 'retry-after': '60' }),
      ...(status === 503 && { 'retry-after': '5' }),
      ...(error instanceof NotOffered && { allow: error.methods.join(', ') }),
    },
    body: JSON.stringify(errorBody(shown)),
    ...((!known || status === 503) && { fault: error }),
  };
}

/** A method that an address does not take. */
export class NotOffered extends ScimError {
  readonly methods: readonly string[];

  constructor(method: string, methods: readonly string[]) {
    super(405, `The method ${method} is not offered here.`);
    this.methods = methods;
  }
}
