import { addMilliseconds } from '../../../platform/clock.ts';
import type { HttpCall, HttpResponse } from '../../../platform/http/routes.ts';
import { json } from '../../../platform/http/routes.ts';
import { randomToken } from '../../../platform/random.ts';
import { redirectBrowser, withCookies } from '../../../provider/browser-responses.ts';
import type { Call } from '../../../resource/call.ts';
import { browserCookie, browserHash, codeHash, readBrowser, readTokens, sessionCookie, tokenHash } from './cookies.ts';
import { describeOriginal, isNavigation } from './forwarded.ts';
import { findGuardedHost, type GuardedHost, type HostProvider, readHost } from './guarded-host.ts';
import type { ProxyNeeds } from './needs.ts';
import { ErrorPage } from './pages.ts';
import { loadProtected, sessionLength } from './protected-application.ts';
import { authorizePath, startPath } from './proxy-paths.ts';
import { claimSession } from './proxy-sessions.ts';
import { findTest, noteStep, testedPage } from './proxy-test.ts';
import { openState, sealState } from './state.ts';
import { safeTarget } from './target.ts';
import { unknownHostPage } from './wrong-headers.ts';

/** What a browser or program has sent to a path below `/outpost.gatehouse/`, on the host of an application. */
export interface HostCall {
  readonly call: Call;
  readonly http: HttpCall;
}

/** The provider of the host that the request came for, with its sessions of this browser; null if there is none. */
export async function guardedHostOf(needs: ProxyNeeds, { call }: HostCall): Promise<GuardedHost | null> {
  const { authority, isSecure, cookies } = call.request;
  const host = readHost(authority, isSecure ? 'https' : 'http');
  if (host === null) return null;
  return findGuardedHost(needs, call, host, readTokens(needs.key, cookies, undefined).hashes);
}

/** The address at which a user signs in to the application, to continue to `target`. */
export function startAddress({ external_host }: Pick<HostProvider, 'external_host'>, target: string): string {
  const url = new URL(startPath, external_host);
  url.search = new URLSearchParams({ rd: target }).toString();
  return url.href;
}

/** For whatever could not follow a redirect to a page: where a person signs in. */
export function notSignedIn(provider: HostProvider, target: string): HttpResponse {
  const address = startAddress(provider, target);
  return json(
    401,
    { detail: 'Authentication credentials were not provided.', code: 'not_authenticated', sign_in: address },
    {
      'cache-control': 'no-store',
      'www-authenticate': `Bearer realm="${provider.external_host.replace(/["\\]/g, '')}", authorization_uri="${address}"`,
    },
  );
}

/**
 * The beginning of every sign-in to an application: the browser gets a secret and is sent to this server's own address.
 */
export async function start(needs: ProxyNeeds, host: HostCall): Promise<HttpResponse> {
  const { call, http } = host;
  const { request, now } = call;
  const guarded = await guardedHostOf(needs, host);
  const test = await findTest(needs, call, http.raw);
  const step = { step: 'start', raw: http.raw, provider: guarded?.provider.pk ?? null } as const;
  if (test !== null && (await noteStep(call, test, step))) return testedPage(call);
  if (!guarded) return unknownHostPage(call);
  const { provider } = guarded;
  const target = safeTarget(provider, request.query.get('rd') ?? originalAddress(http));
  if (!isNavigation(request.method, request.header)) return notSignedIn(provider, target);
  // The secret belongs to one host, also where a whole domain is protected.
  if (readHost(request.authority, request.isSecure ? 'https' : 'http') !== provider.host)
    return redirectBrowser(startAddress(provider, target));
  const application = await loadProtected(call.db.read, { provider: provider.pk });
  if (!application)
    throw new ErrorPage('No application uses this provider. An administrator has to assign it to one.', {
      status: 403,
    });
  const known = readBrowser(provider, request.cookies);
  const secret = known || randomToken();
  const state = sealState(
    needs.key.box,
    { provider: provider.pk, target, browser: browserHash(needs.key, secret), isRetry: request.query.has('retry') },
    now,
  );
  const url = new URL(authorizePath(application.application.slug), needs.publicUrl);
  url.search = new URLSearchParams({ state }).toString();
  return redirectBrowser(url.href, known ? [] : [browserCookie(provider, secret)]);
}

/** nginx says what was asked for when it sends a request here that the check has refused. */
function originalAddress(http: HttpCall): string | null {
  const described = describeOriginal(http, 'nginx');
  if (!('original' in described)) return null;
  const { scheme, host, path, search } = described.original;
  return `${scheme}://${host}${path}${search}`;
}

/** The callback from this server's own address: the browser takes the session over. */
export async function callback(needs: ProxyNeeds, host: HostCall): Promise<HttpResponse> {
  const { call } = host;
  const { query, cookies } = call.request;
  const guarded = await guardedHostOf(needs, host);
  if (!guarded) return unknownHostPage(call);
  const { provider, sessions } = guarded;
  const state = openState(needs.key.box, query.get('state'), call.now);
  // Old, or of another application: the person begins again, since nothing that is left could be trusted.
  if (state?.provider !== provider.pk) return redirectBrowser(startAddress(provider, safeTarget(provider, null)));
  const target = safeTarget(provider, state.target);
  const application = await loadProtected(call.db.read, { provider: provider.pk });
  const secret = readBrowser(provider, cookies);
  const token = randomToken();
  const lengthMs = application ? sessionLength(application) : 0;
  const isClaimed =
    secret !== null &&
    browserHash(needs.key, secret) === state.browser &&
    (await call.db.write((tx) =>
      claimSession(tx, {
        code: codeHash(needs.key, query.get('code') ?? ''),
        provider: provider.pk,
        browser: state.browser,
        token: tokenHash(needs.key, token),
        now: call.now,
        expires: addMilliseconds(call.now, lengthMs),
      }),
    ));
  if (isClaimed)
    return withCookies(redirectBrowser(target), [sessionCookie(provider, token, Math.ceil(lengthMs / 1000) + 1)]);
  // The same address again, by the back button or in another tab: the first time has signed them in.
  const tokens = readTokens(needs.key, cookies, undefined);
  if (sessions.some((session) => tokens.isOf(provider, session))) return redirectBrowser(target);
  if (!state.isRetry) return redirectBrowser(`${startAddress(provider, target)}&retry=1`);
  throw new ErrorPage(
    'Your browser did not send back the cookie of this site. Allow cookies for it, and open the application again.',
  );
}
