import { sql } from 'kysely';
import { pageFrame } from '../../../../core/brand/page-frame.ts';
import type { FindLogoutRedirect } from '../../../../flow/executor/logout-redirects.ts';
import { message, type UserText } from '../../../../lib/texts/message.ts';
import type { Query } from '../../../../platform/db/database.ts';
import { plainPage } from '../../../../platform/http/plain-page.ts';
import type { HttpResponse } from '../../../../platform/http/routes.ts';
import type { InstanceKey } from '../../../../platform/keys.ts';
import { redirectBrowser } from '../../../../provider/browser-responses.ts';
import type { Call } from '../../../../resource/call.ts';
import { sessionIdClaim } from '../issue.ts';
import { endSessionPath, type IssuerMode, issuerOf } from '../urls.ts';
import { findFrontChannelClients } from './logins.ts';

// OpenID Connect Front-Channel Logout: the browser in which a session ends loads an address of each client that it
// signed in to. Only a page can do that, so every sign-out redirects to it.

interface FrontChannelNeeds {
  readonly key: InstanceKey;
  readonly publicUrl: string;
}

/** Where a browser goes when a session is over. */
export interface LogoutPage {
  /** Whose end was wished for. */
  readonly session: string | null;
  /** A validated redirect address; null if there is none. */
  readonly to: string | null;
  /** The requested address, if it is not registered. */
  readonly unregistered?: string;
  /** Clients notified through an iframe, by the keys of their providers. */
  readonly clients: readonly number[];
}

const sealedAs = 'oauth2 after sign-out';
const sealedIn = 'after';

/** The URL of the page that notifies the clients and redirects. Sealed, so it cannot be forged. */
export function buildLogoutPageUrl({ key }: FrontChannelNeeds, path: string, afterwards: LogoutPage): string {
  return `${path}?${new URLSearchParams({ [sealedIn]: key.box.seal(JSON.stringify(afterwards), sealedAs) })}`;
}

/** Null for a URL that this server did not create. */
export function parseLogoutPage({ key }: FrontChannelNeeds, query: string): LogoutPage | null {
  const sealed = new URLSearchParams(query).get(sealedIn);
  try {
    return sealed === null ? null : JSON.parse(key.box.open(sealed, sealedAs));
  } catch {
    // Opening throws for values that this server did not seal.
    return null;
  }
}

/** Redirects through that page, for sign-outs in a flow. Sign-outs from the end-session endpoint already do. */
export function frontChannelRedirect(needs: FrontChannelNeeds): FindLogoutRedirect {
  return async ({ db }, session) => {
    const clients = await findFrontChannelClients(db.read, session);
    if (clients.length === 0) return null;
    const isBy = (to: string) => parseLogoutPage(needs, to.slice(to.indexOf('?') + 1))?.session === session;
    return (to) => (isBy(to) ? to : buildLogoutPageUrl(needs, endSessionPath, { session, to, clients }));
  };
}

/** The page itself. It does not wait for clients, and redirects at once if there are none. */
export async function renderLogoutPage(
  needs: FrontChannelNeeds,
  call: Call,
  { session, to, unregistered, clients }: LogoutPage,
): Promise<HttpResponse> {
  const frames = session === null ? [] : await framesOf(needs, call.db.read, session, clients);
  if (to !== null && frames.length === 0) return redirectBrowser(to);
  return plainPage({
    ...(await pageFrame(call)),
    title: 'You are signed out',
    paragraphs: paragraphsOf(to, unregistered),
    link: to === null ? { to: '/', text: 'Sign in again' } : { to, text: 'Continue' },
    frames,
    ...(to !== null && { goOnTo: to }),
  });
}

function paragraphsOf(to: string | null, unregistered: string | undefined): UserText[] {
  if (to !== null) return ['One moment, you are being redirected.'];
  if (unregistered === undefined) return [];
  return [
    'You cannot be taken back to the application: the address is not registered for it.',
    message('The request named this redirect address: {address}', { address: unregistered }),
  ];
}

interface FramedClient {
  readonly uri: string;
  readonly issuer_mode: IssuerMode;
  readonly slug: string;
}

async function framesOf(
  { key, publicUrl }: FrontChannelNeeds,
  query: Query,
  session: string,
  clients: readonly number[],
): Promise<string[]> {
  if (clients.length === 0) return [];
  const { rows } = await sql<FramedClient>`select o.frontchannel_logout_uri as uri, o.issuer_mode, a.slug
    from provider_oauth2 o join applications a on a.provider = o.pk
    where o.pk in (${sql.join(clients)}) order by o.pk`.execute(query);
  return rows.flatMap(({ uri, issuer_mode, slug }) => {
    const url = URL.parse(uri);
    if (!url) return [];
    // OpenID Connect Front-Channel Logout §2
    url.searchParams.set('iss', issuerOf(publicUrl, slug, issuer_mode));
    url.searchParams.set('sid', sessionIdClaim(key, session));
    return [url.href];
  });
}
