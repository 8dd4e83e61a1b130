import { isJsonObject, type JsonObject } from '../../../lib/json.ts';
import type { GuardedFetch, OutboundAnswer, OutboundRequest } from '../../../platform/fetch/guarded-fetch.ts';
import { OutboundError, type OutboundReason } from '../../../platform/fetch/outbound-error.ts';
import { parseJson } from '../../../resource/fields/structured.ts';
import { SourceRefusal } from '../../../source/source-refusal.ts';

const timeoutMs = 8_000;
const maxBytes = 262_144;

/** Why a service's answer is of no use. The text is for people; it names no address. */
const reasons: Record<OutboundReason, string> = {
  blocked: 'its address may not be called',
  timeout: 'it took too long to answer',
  unreachable: 'it cannot be reached',
  'too-large': 'its answer is too large',
  redirect: 'it redirects instead of answering',
  'bad-url': 'its address cannot be called',
  'bad-answer': 'its answer cannot be understood',
};

/** One call to a service, which answers with a JSON object. `what` is what it is asked for. */
export async function askService(
  fetch: GuardedFetch,
  { name, what }: { readonly name: string; readonly what: string },
  url: string,
  request: OutboundRequest,
): Promise<{ readonly status: number; readonly body: JsonObject }> {
  const answer = await send(fetch, { name, what }, url, request);
  return { status: answer.status, body: answer.body };
}

async function send(fetch: GuardedFetch, about: { name: string; what: string }, url: string, request: OutboundRequest) {
  try {
    const answer = await fetch(url, {
      timeoutMs,
      maxBytes,
      ...request,
      headers: { accept: 'application/json', ...request.headers },
    });
    return { status: answer.status, body: objectOf(answer) };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    throw failed(about, reasons[error.reason]);
  }
}

/** What fails may answer with anything; what succeeds answers with an object that can be stored. */
function objectOf(answer: OutboundAnswer): JsonObject {
  const isGood = isSuccess(answer.status);
  const body = isGood ? answer.json() : orNothing(answer);
  const isReadable = isJsonObject(body) && !('complaint' in parseJson(body, { anyValue: true }));
  if (isReadable) return body;
  if (isGood) throw new OutboundError('bad-answer', 'the answer is not an object');
  return {};
}

function orNothing(answer: OutboundAnswer): unknown {
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
