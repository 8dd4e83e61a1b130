import { isJsonObject, type Json } from '../../../lib/json.ts';
import type { Send } from '../../../provider/sync/send.ts';

const maxPages = 100_000;

/** The pages of a list, following `nextPageToken`. */
export async function* pagesOf(send: Send, url: string, member: string): AsyncIterable<readonly Json[]> {
  let token = '';
  for (let page = 0; page < maxPages; page++) {
    const answer = await send({ method: 'GET', url: token ? `${url}&pageToken=${encodeURIComponent(token)}` : url });
    const entries = isJsonObject(answer) ? answer[member] : undefined;
    if (Array.isArray(entries)) yield entries;
    const next = isJsonObject(answer) ? answer.nextPageToken : undefined;
    if (typeof next !== 'string' || next === '' || next === token) return;
    token = next;
  }
}
