import { hostCookieName, ownCookieHeader } from '../platform/http/own-cookie.ts';
import type { InstanceKey } from '../platform/keys.ts';
import { noOrigin, originOf, type RowOrigin } from '../platform/limits/network-eviction.ts';
import { randomText } from '../platform/random.ts';
import type { Call } from '../resource/call.ts';

/**
 * An attempt is one run of a flow in a browser: that of the tab in which an application, a source or a link began it.
 * Its id is in the query of the page and in the name of the cookie. It selects the cookie and is no proof: the token in
 * the cookie does. Pages that were opened without any share the attempt with the empty id.
 */
export const sharedAttempt = '';
const member = 'attempt';
const idLength = 16;

export const newAttempt = (): string => randomText(idLength);

/** The links whose pages have an attempt each: invitations, and links to a walk. */
const linkTokens = ['itoken', 'token', 'flow_token'];

export interface NamedAttempt {
  readonly attempt: string;
  /** Whether it belongs to a link: the page begins the attempt if the browser does not have it yet. */
  readonly isOfLink: boolean;
}

/** The attempt in the query of a page, by its id or by a link. */
export function attemptOf(key: Pick<InstanceKey, 'hash'>, query: URLSearchParams): NamedAttempt {
  const id = attemptIdOf(query);
  if (id !== null) return { attempt: id, isOfLink: false };
  const link = linkTokens.map((name) => query.get(name)).find((token) => token);
  if (!link) return { attempt: sharedAttempt, isOfLink: false };
  return { attempt: key.hash(`flow attempt:${link}`).slice(0, idLength), isOfLink: true };
}

/** The attempt whose id is in a query; null without one. */
export function attemptIdOf(query: URLSearchParams): string | null {
  const id = query.get(member);
  return id !== null && /^[A-Za-z0-9]{16}$/.test(id) ? id : null;
}

/** Adds the attempt to a path or query. */
export function withAttempt(path: string, attempt: string): string {
  if (attempt === sharedAttempt) return path;
  return `${path}${path.includes('?') ? '&' : '?'}${member}=${attempt}`;
}

/** A plan cookie: the token of a walk and, if the walk has no answer yet, the proof of its opening. */
export interface PlanCookie {
  readonly attempt: string;
  readonly token: string;
  readonly opening: string | null;
  /** When the browser used the attempt last, in milliseconds. */
  readonly usedAt: number;
}

type Cookies = Readonly<Record<string, string | undefined>>;

const lifetimeSeconds = 30 * 60;
const cookieName = 'gatehouse_flow_plan';
/** Browsers send all of them with each request, so their number is limited; the least recently used one is evicted. */
const maxAttempts = 8;
const separator = '.';

const isSecure = (publicUrl: string): boolean => publicUrl.startsWith('https:');

const nameOf = (attempt: string): string => (attempt === sharedAttempt ? cookieName : `${cookieName}_${attempt}`);

/** The plan cookies of a browser: the shared one first, then those that were used last. */
export function parsePlanCookies(cookies: Cookies, publicUrl: string): PlanCookie[] {
  const shared = hostCookieName(cookieName, isSecure(publicUrl));
  const plans: PlanCookie[] = [];
  for (const [name, value] of Object.entries(cookies)) {
    if (name !== shared && !name.startsWith(`${shared}_`)) continue;
    const [token, opening, used] = value?.split(separator, 3) ?? [];
    if (!token) continue;
    const attempt = name.slice(shared.length + 1);
    plans.push({ attempt, token, opening: opening || null, usedAt: Number.parseInt(used ?? '', 36) || 0 });
  }
  const rank = ({ attempt, usedAt }: PlanCookie) => (attempt === sharedAttempt ? Number.POSITIVE_INFINITY : usedAt);
  return plans.sort((one, other) => (rank(other) > rank(one) ? 1 : -1));
}

/**
 * The plan of the attempt whose id is in the query of a page; of the shared attempt if the browser does not have it.
 */
export function planOfPage(cookies: Cookies, publicUrl: string, query: URLSearchParams): PlanCookie | null {
  const plans = parsePlanCookies(cookies, publicUrl);
  const attempt = attemptIdOf(query);
  return plans.find((plan) => plan.attempt === attempt) ?? plans.find((plan) => plan.attempt === sharedAttempt) ?? null;
}

/** `Set-Cookie` values for an attempt's token, and the opening of a walk without answers. May evict other attempts. */
export function planCookies(
  { request: { cookies }, now }: Pick<Call, 'request' | 'now'>,
  publicUrl: string,
  {
    attempt,
    token,
    opening = null,
  }: { readonly attempt: string; readonly token: string; readonly opening?: string | null },
): string[] {
  const parts = attempt === sharedAttempt ? [token, opening] : [token, opening ?? '', Date.parse(now).toString(36)];
  const value = parts.filter((part) => part !== null).join(separator);
  const others = parsePlanCookies(cookies, publicUrl).filter(
    (plan) => ![attempt, sharedAttempt].includes(plan.attempt),
  );
  const surplus = attempt === sharedAttempt ? [] : others.slice(maxAttempts - 1);
  return [cookie(attempt, value, publicUrl), ...surplus.map((plan) => endedPlanCookie(plan.attempt, publicUrl))];
}

/** Deletes the cookie of an attempt. */
export const endedPlanCookie = (attempt: string, publicUrl: string): string => cookie(attempt, '', publicUrl, 0);

const cookie = (attempt: string, value: string, publicUrl: string, maxAgeSeconds = lifetimeSeconds): string =>
  ownCookieHeader({ name: nameOf(attempt), value, isSecure: isSecure(publicUrl), maxAgeSeconds });

/** Stored walks are counted by session, or by network for anonymous visitors. */
export function plansOf(
  key: Pick<InstanceKey, 'hash'>,
  { actor, request }: Pick<Call, 'actor' | 'request'>,
): RowOrigin {
  const hash = (origin: string) => key.hash(`flow_plans:${origin}`);
  if (actor) return { ...noOrigin, network: hash(`session ${actor.session ?? actor.user.pk}`) };
  return originOf(request.clientIp, hash);
}
