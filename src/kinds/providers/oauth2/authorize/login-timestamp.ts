import { addMilliseconds } from '../../../../platform/clock.ts';
import type { InstanceKey } from '../../../../platform/keys.ts';

const purpose = 'oauth2 sign in first';
const mark = '&signed_in_since=';
/** As long as a walk through a flow may take. */
const noteLifetimeMs = 30 * 60_000;

/** The request with a note of when somebody was sent to sign in for it, which they cannot write themselves. */
export function addLoginTimestamp(key: InstanceKey, text: string, now: string): string {
  return `${text}${mark}${encodeURIComponent(now)}.${key.sign(purpose, `${now} ${text}`)}`;
}

/**
 * Parts a request from that note. One that this server did not write for this very request, or too long ago to be still on
 * the way, counts for nothing.
 */
export function parseLoginTimestamp(
  key: InstanceKey,
  text: string,
  now: string,
): { readonly text: string; readonly sentAt: string | null } {
  const at = text.lastIndexOf(mark);
  if (at === -1) return { text, sentAt: null };
  const [, time = '', signature = ''] = /^(.*)\.([\w-]+)$/.exec(text.slice(at + mark.length)) ?? [];
  const request = text.slice(0, at);
  const sentAt = time.replaceAll('%3A', ':');
  if (!key.verify(purpose, `${sentAt} ${request}`, signature)) return { text: request, sentAt: null };
  return { text: request, sentAt: addMilliseconds(sentAt, noteLifetimeMs) > now ? sentAt : null };
}
