import type { GuardedFetch } from '../platform/fetch/guarded-fetch.ts';
import { OutboundError } from '../platform/fetch/outbound-error.ts';
import { Undeliverable, Undelivered } from './transport-kind.ts';

const hopeless = new Set(['blocked', 'bad-url']);

/** Posts a body to a configured URL; of the response only the status is reported. */
export async function postJson(fetch: GuardedFetch, url: string, body: unknown): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const { status } = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) }).catch(fail);
  if (status < 200 || status > 299) throw new Undelivered(`The receiver answered with ${status}.`);
  return `The receiver answered with ${status}.`;
}

function fail(error: unknown): never {
  if (!(error instanceof OutboundError)) throw error;
  const Failure = hopeless.has(error.reason) ? Undeliverable : Undelivered;
  throw new Failure(`${error.message}.`, { cause: error });
}
