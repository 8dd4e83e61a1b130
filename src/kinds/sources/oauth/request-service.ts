import { isJsonObject, type JsonObject } from '../../../lib/json.ts';
import type { GuardedFetch, OutboundRequest, OutboundResponse } from '../../../platform/fetch/guarded-fetch.ts';
import { OutboundError, type OutboundReason } from '../../../platform/fetch/outbound-error.ts';
import { parseJson } from '../../../resource/fields/structured.ts';
import { SourceRefusal } from '../../../source/source-refusal.ts';

const timeoutMs = 8_000;
const maxBytes = 262_144;

/** Why a service's response cannot be used. The message is for users; it contains no address. */
const reasons: Record<OutboundReason, string> = {
  blocked: 'its address may not be called',
  timeout: 'it took too long to answer',
  unreachable: 'it cannot be reached',
  'too-large': 'its answer is too large',
  redirect: 'it redirects instead of answering',
  'bad-url': 'its address cannot be called',
  'bad-answer': 'its answer cannot be understood',
};

/**
 * One call to a service, which answers with a JSON object, or with a JWT where `verify` reads one. `what` is what it is
 * asked for.
 */
export async function requestService(
  fetch: GuardedFetch,
  { name, what }: { readonly name: string; readonly what: string },
  url: string,
  request: OutboundRequest,
  verify: ((jwt: string) => Promise<JsonObject>) | null = null,
): Promise<{ readonly status: number; readonly body: JsonObject }> {
  try {
    const answer = await fetch(url, {
      timeoutMs,
      maxBytes,
      ...request,
      headers: { accept: verify ? 'application/json, application/jwt' : 'application/json', ...request.headers },
    });
    const { status } = answer;
    const isJwt =
      verify !== null && isSuccess(status) && /^application\/jwt\b/i.test(answer.headers['content-type'] ?? '');
    return { status, body: isJwt ? storable(await verify(answer.text().trim())) : objectOf(answer) };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    throw failed({ name, what }, reasons[error.reason]);
  }
}

/** Error responses may contain anything; successful ones must be a storable object. */
function objectOf(answer: OutboundResponse): JsonObject {
  const isGood = isSuccess(answer.status);
  const body = isGood ? answer.json() : parseOrNull(answer);
  return isGood || isStorable(body) ? storable(body) : {};
}

const isStorable = (body: unknown): body is JsonObject =>
  isJsonObject(body) && !('complaint' in parseJson(body, { anyValue: true }));

function storable(body: unknown): JsonObject {
  if (isStorable(body)) return body;
  throw new OutboundError('bad-answer', 'the answer is not an object');
}

function parseOrNull(answer: OutboundResponse): unknown {
  try {
    return answer.json();
  } catch (error) {
    if (error instanceof OutboundError) return null;
    throw error;
  }
}

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

export const failed = ({ name, what }: { readonly name: string; readonly what: string }, why: string): SourceRefusal =>
  new SourceRefusal(`Could not retrieve the ${what} from ${name}: ${why}.`);
