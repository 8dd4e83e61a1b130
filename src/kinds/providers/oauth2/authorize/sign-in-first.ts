import { sql } from 'kysely';
import { flowPage } from '../../../../flow/executor/challenge.ts';
import { addMilliseconds } from '../../../../platform/clock.ts';
import type { Query } from '../../../../platform/db/database.ts';
import type { InstanceKey } from '../../../../platform/keys.ts';
import type { Call } from '../../../../resource/call.ts';
import type { Client } from '../client.ts';
import { authorizePath } from '../urls.ts';
import type { AuthorizeRequest } from './authorize-request.ts';
import type { BrowserNeeds } from './browser-needs.ts';

/**
 * Whether the person has to sign in (again) before anything else. `sentAt` is when they were sent to: who has signed in
 * since then need not do it once more.
 */
export function mustSignIn(
  { prompt, max_age }: Pick<AuthorizeRequest, 'prompt' | 'max_age'>,
  signedIn: string | null,
  sentAt: string | null,
  now: string,
): boolean {
  if (signedIn === null) return true;
  if (sentAt !== null && signedIn >= sentAt) return false;
  if (prompt.includes('login') || prompt.includes('select_account')) return true;
  return max_age !== null && addMilliseconds(signedIn, max_age * 1000) < now;
}

const purpose = 'oauth2 sign in first';
const mark = '&signed_in_since=';
/** As long as a walk through a flow may take. */
const noteLifetimeMs = 30 * 60_000;

/** The request with a note of when somebody was sent to sign in for it, which they cannot write themselves. */
export function notedRequest(key: InstanceKey, text: string, now: string): string {
  return `${text}${mark}${encodeURIComponent(now)}.${key.sign(purpose, `${now} ${text}`)}`;
}

/**
 * Parts a request from that note. One that this server did not write for this very request, or too long ago to be still on
 * the way, counts for nothing.
 */
export function readNote(
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

/** The page of the flow that signs people in, for this client; it leads back to the request `text`. */
export async function signInPage(
  needs: BrowserNeeds,
  call: Call,
  client: Client,
  { text, login_hint }: { readonly text: string } & Pick<AuthorizeRequest, 'login_hint'>,
): Promise<string> {
  const next = `${authorizePath}?${notedRequest(needs.key, text, call.now)}`;
  const slug = await slugOf(call.db.read, client.authentication_flow);
  const page = slug === null ? await needs.signInPath(call.request.host, call.db.read, next) : flowPage(slug, next);
  return login_hint === null ? page : `${page}&login_hint=${encodeURIComponent(login_hint)}`;
}

export async function slugOf(query: Query, flow: string | null): Promise<string | null> {
  const { rows } = await sql<{ slug: string }>`select slug from flows where pk = ${flow}`.execute(query);
  return rows[0]?.slug ?? null;
}
