import { addMilliseconds } from '../../../../platform/clock.ts';
import type { InstanceKey } from '../../../../platform/keys.ts';

const purpose = 'oauth2 sign in first';
const mark = '&signed_in_since=';
/** As long as a walk through a flow may take. */
const noteLifetimeMs = 30 * 60_000;

/** The request with a signed timestamp of when the user was redirected to the login. */
export function addLoginTimestamp(key: InstanceKey, text: string, now: string): string {
  return `${text}${mark}${encodeURIComponent(now)}.${key.sign(purpose, `${now} ${text}`)}`;
}

/**
 * Separates the request from that timestamp. Timestamps that are forged, for another request or too old are ignored.
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
