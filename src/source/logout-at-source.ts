import type { LogoutRedirect } from '../flow/executor/logout-redirects.ts';
import type { Json } from '../lib/json.ts';
import type { InstanceKey } from '../platform/keys.ts';
import { randomToken } from '../platform/random.ts';
import type { Call } from '../resource/call.ts';
import { consumePending, storePendingLogin } from './pending-logins.ts';
import { buildSourcePath, type SourceRequest } from './redirect-source.ts';
import type { SourceRow } from './source.family.ts';
import { SourceRefusal } from './source-refusal.ts';

// A session that came by a source ends there too: the browser is sent to a path of the source here, from there to the
// service, and comes back.

const purpose = 'source sign-out';

const proofOf = (token: string, to: string): string => `${token} ${to}`;

/**
 * The way past the service that names the session by `facts`. Only sign-outs that are accepted here get such a link
 * (CSRF), and it leads on only to where it was made for (open redirect).
 */
export async function buildLogoutRedirect(
  key: InstanceKey,
  call: Call,
  path: string,
  { source, slug, facts }: { readonly source: string; readonly slug: string; readonly facts: Json },
): Promise<LogoutRedirect> {
  const token = randomToken();
  const visit = { purpose: 'sign-out', token, browser: '', source } as const;
  await call.db.write((tx) => storePendingLogin(tx, key, visit, facts, call));
  return (to) => {
    const query = new URLSearchParams({ session: token, to, proof: key.sign(purpose, proofOf(token, to)) });
    return `${buildSourcePath(path, slug)}?${query}`;
  };
}

/** Where such a link leads in the end, and the facts, which it brings once. */
export async function redeemLogoutRedirect<F extends Json>(
  key: InstanceKey,
  { source, call, given }: SourceRequest<SourceRow>,
): Promise<{ readonly to: string; readonly facts: F | null }> {
  const token = given.get('session') ?? '';
  const to = given.get('to') ?? '';
  if (!key.verify(purpose, proofOf(token, to), given.get('proof') ?? ''))
    throw new SourceRefusal('This link is not valid.');
  const visit = { purpose: 'sign-out', token, browser: '', source: source.pk } as const;
  return { to, facts: await call.db.write((tx) => consumePending<'sign-out', F>(tx, key, visit, call.now)) };
}

type AskedLogout = Pick<SourceRequest<SourceRow>, 'source' | 'call'> & {
  /** By which the response of the service names the request. */
  readonly token: string;
};

const keyOf = ({ source, token }: AskedLogout) =>
  ({ purpose: 'logout', token, browser: '', source: source.pk }) as const;

/** Remembers where to go on when the service responds. */
export const storeLogoutReturn = (key: InstanceKey, asked: AskedLogout, to: string): Promise<void> =>
  asked.call.db.write((tx) => storePendingLogin(tx, key, keyOf(asked), { to }, asked.call), { durable: false });

/** Null for a response to no request, or to one that had its response (replay). */
export async function consumeLogoutReturn(key: InstanceKey, asked: AskedLogout): Promise<string | null> {
  const { call } = asked;
  const stored = await call.db.write((tx) => consumePending<'logout', { to: string }>(tx, key, keyOf(asked), call.now));
  return stored?.to ?? null;
}
