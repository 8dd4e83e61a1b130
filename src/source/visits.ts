import { sql } from 'kysely';
import { networkOf } from '../lib/cidr.ts';
import { addMilliseconds } from '../platform/clock.ts';
import type { Query } from '../platform/db/database.ts';
import { hostCookieName, ownCookieHeader } from '../platform/http/own-cookie.ts';
import type { RequestFacts } from '../platform/http/request-facts.ts';
import { type InstanceKey, sealContext } from '../platform/keys.ts';
import { orderedUuid, randomToken } from '../platform/random.ts';
import type { Call } from '../resource/call.ts';
import type { Away, Came } from './visit-outcome.ts';

/** How long somebody may be away at a source. */
export const visitLifetimeMs = 15 * 60_000;
/** So many visits are stored for one network, and altogether; the oldest make room. */
const mostOfNetwork = 200;
const mostOfAll = 20_000;

interface Contents {
  readonly out: Away;
  readonly back: Came;
}

/** A visit to a source: `out` until the person is back, `back` until the walk that sent them has seen who they are. */
export interface VisitKey<P extends keyof Contents = keyof Contents> {
  readonly purpose: P;
  readonly token: string;
  /** The secret of the browser (`browserSecret`): nobody else can take up the visit. */
  readonly browser: string;
  readonly source: string;
}

const hashOf = (key: InstanceKey, { purpose, token, browser }: VisitKey): string =>
  key.hash(`source_visits ${purpose} ${token} ${browser}`);

const contextOf = (pk: string): string => sealContext('source_visits', 'content', pk);

export async function storeVisit<P extends keyof Contents>(
  tx: Query,
  key: InstanceKey,
  visit: VisitKey<P>,
  content: Contents[P],
  call: Call,
): Promise<void> {
  const { now } = call;
  const pk = orderedUuid();
  const network = key.hash(`source_visits:${networkOf(call.request.clientIp)}`);
  await sql`delete from source_visits where expires <= ${now}`.execute(tx);
  await sql`delete from source_visits where pk in (select pk from source_visits where network = ${network}
    order by created desc limit 1000 offset ${mostOfNetwork - 1})`.execute(tx);
  await sql`delete from source_visits where pk in (select pk from source_visits
    order by created desc limit 1000 offset ${mostOfAll - 1})`.execute(tx);
  await sql`insert into source_visits (pk, token_hash, source, content, network, created, expires)
    values (${pk}, ${hashOf(key, visit)}, ${visit.source}, ${key.box.seal(JSON.stringify(content), contextOf(pk))},
      ${network}, ${now}, ${addMilliseconds(now, visitLifetimeMs)}) on conflict do nothing`.execute(tx);
}

type Stored = { readonly pk: string; readonly content: string };

const opened = <P extends keyof Contents>(key: InstanceKey, row: Stored | undefined): Contents[P] | null =>
  row ? JSON.parse(key.box.open(row.content, contextOf(row.pk))) : null;

/** What was stored with a visit; null when there is none, or it has expired. */
export async function findVisit<P extends keyof Contents>(
  query: Query,
  key: InstanceKey,
  visit: VisitKey<P>,
  now: string,
): Promise<Contents[P] | null> {
  const { rows } = await sql<Stored>`select pk, content from source_visits where token_hash = ${hashOf(key, visit)}
    and source = ${visit.source} and expires > ${now}`.execute(query);
  return opened<P>(key, rows[0]);
}

/** The same, and it is used up: of two who come with one visit, one finds it. */
export async function takeVisit<P extends keyof Contents>(
  tx: Query,
  key: InstanceKey,
  visit: VisitKey<P>,
  now: string,
): Promise<Contents[P] | null> {
  const { rows } = await sql<Stored>`delete from source_visits where token_hash = ${hashOf(key, visit)}
    and source = ${visit.source} and expires > ${now} returning pk, content`.execute(tx);
  return opened<P>(key, rows[0]);
}

const cookieName = 'gatehouse_source';

/** The secret by which a browser is known again when it comes back from a source; null before it has one. */
export function browserSecret({ cookies }: Pick<RequestFacts, 'cookies'>, isSecure: boolean): string | null {
  const value = cookies[hostCookieName(cookieName, isSecure)];
  return value && /^[\w-]{43}$/.test(value) ? value : null;
}

export const newBrowserSecret = randomToken;

export const browserCookie = (value: string, isSecure: boolean): string =>
  ownCookieHeader({ name: cookieName, value, isSecure, maxAgeSeconds: (2 * visitLifetimeMs) / 1000 });
