import { asObject, type JsonObject } from '../../lib/json.ts';
import type { GuardedFetch } from '../../platform/fetch/guarded-fetch.ts';
import { OutboundError } from '../../platform/fetch/outbound-error.ts';
import { SyncStopped, Unavailable } from './remote.ts';
import { retryAfterMs } from './send.ts';

export interface GrantedToken {
  readonly token: string;
  readonly validMs: number;
}

const timeoutMs = 15_000;
const defaultSeconds = 3_600;
/** A token is not used to its very end. */
const marginSeconds = 60;

/**
 * Requests a token. Only an administrator can fix a refusal; the response is not shown, since it may contain secrets.
 */
export async function requestToken(
  fetch: GuardedFetch,
  url: string,
  form: Readonly<Record<string, string>>,
): Promise<GrantedToken> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
  const answer = await fetch(url, {
    method: 'POST',
    headers,
    body: new URLSearchParams(form).toString(),
    timeoutMs,
  }).catch((error: unknown) => {
    if (!(error instanceof OutboundError)) throw error;
    const isPassing = error.reason === 'timeout' || error.reason === 'unreachable';
    throw isPassing ? new Unavailable(error.message, true) : new SyncStopped(error.message);
  });
  if (answer.status === 429 || answer.status >= 500) {
    const message = `The token endpoint answered ${answer.status}.`;
    throw new Unavailable(message, true, retryAfterMs(answer.headers['retry-after']));
  }
  const body = parsed(answer.text());
  if (answer.status !== 200 || typeof body.access_token !== 'string') {
    const reason = typeof body.error === 'string' ? `: ${body.error.slice(0, 100)}` : '';
    throw new SyncStopped(`The token endpoint refused the credentials (${answer.status}${reason}).`);
  }
  const seconds = typeof body.expires_in === 'number' ? body.expires_in : defaultSeconds;
  return { token: body.access_token, validMs: Math.max(seconds - marginSeconds, 1) * 1_000 };
}

function parsed(text: string): JsonObject {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return {};
  }
}
