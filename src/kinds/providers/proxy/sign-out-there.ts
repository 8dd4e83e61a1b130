import { sql } from 'kysely';
import { frameAtApplication } from '../../../core/brand/page-frame.ts';
import { csrfField } from '../../../core/session/csrf-form-field.ts';
import { readForm } from '../../../lib/read-form.ts';
import { message } from '../../../lib/texts/message.ts';
import { addMilliseconds } from '../../../platform/clock.ts';
import { plainPage } from '../../../platform/http/plain-page.ts';
import type { HttpResponse } from '../../../platform/http/routes.ts';
import { nullIfUnreadable } from '../../../platform/keys.ts';
import { redirectBrowser, withCookies } from '../../../provider/browser-responses.ts';
import { startSignOut } from '../../../provider/sign-out.ts';
import type { Call } from '../../../resource/call.ts';
import { readTokens, sessionCookie } from './cookies.ts';
import type { ProxyNeeds } from './needs.ts';
import { guardedHostOf, type HostCall } from './on-host.ts';
import type { ProtectedApplication } from './protected-application.ts';
import { loadProtected } from './protected-application.ts';
import { proxyApp } from './proxy-model.ts';
import { endPath, signOutPath } from './proxy-paths.ts';
import { unknownHostPage } from './wrong-headers.ts';

const sealedAs = 'proxy sign-out';
/** What the form of the question proves: that it was shown to this session. */
const confirmed = 'proxy sign-out form';
const lifetimeMs = 60_000;

/** Signs the person out of everything, at their wish: of this application, this server, and all other applications. */
export async function signOut(needs: ProxyNeeds, host: HostCall): Promise<HttpResponse> {
  const { call } = host;
  const guarded = await guardedHostOf(needs, host);
  if (!guarded) return unknownHostPage(call);
  const { provider, sessions } = guarded;
  const tokens = readTokens(needs.key, call.request.cookies, undefined);
  const session = sessions.find((one) => tokens.isOf(provider, one));
  const application = await loadProtected(call.db.read, { provider: provider.pk });
  if (!session || !application) return redirectBrowser(new URL('/', needs.publicUrl).href);
  if (!isConfirmed(needs, host, session.pk))
    return confirmation(call, application, needs.key.sign(confirmed, session.pk));
  await call.db.write((tx) => sql`delete from proxy_sessions where session = ${session.main}`.execute(tx));
  const proof = needs.key.box.seal(
    JSON.stringify({ session: session.main, expires: addMilliseconds(call.now, lifetimeMs) }),
    sealedAs,
  );
  const url = new URL(endPath(application.application.slug), needs.publicUrl);
  url.search = new URLSearchParams({ proof }).toString();
  return withCookies({ ...redirectBrowser(url.href), status: 303 }, [sessionCookie(provider, '', 0)]);
}

/** Only by the form of the question. A navigation, also within the application, can be that of a planted link. */
const isConfirmed = ({ key }: ProxyNeeds, { call, http }: HostCall, session: string): boolean =>
  call.request.method === 'POST' && key.verify(confirmed, session, readForm(http.body).get(csrfField) ?? '');

const confirmation = async (call: Call, { application }: ProtectedApplication, proof: string): Promise<HttpResponse> =>
  plainPage({
    ...(await frameAtApplication(call)),
    title: 'Sign out?',
    paragraphs: [
      message('You will be signed out of {application} and of all other applications.', {
        application: application.name,
      }),
    ],
    form: { action: signOutPath, hidden: { [csrfField]: proof }, submit: 'Sign out', leadsTo: 'anywhere' },
  });

/** At the address of this server: ends the session of which the application's was a part. */
export async function endMainSession(
  needs: ProxyNeeds,
  call: Call,
  application: ProtectedApplication,
): Promise<HttpResponse> {
  const proof = call.request.query.get('proof') ?? '';
  const text = nullIfUnreadable(() => needs.key.box.open(proof, sealedAs));
  const { session = null, expires = '' } = text === null ? {} : JSON.parse(text);
  const home = new URL('/', needs.publicUrl).href;
  if (session === null || expires <= call.now || call.actor?.session !== session) return redirectBrowser(home);
  const { to, cookies } = await startSignOut(needs, call, {
    next: '/',
    app: proxyApp,
    flow: application.invalidation_flow,
  });
  return redirectBrowser(to ?? home, cookies);
}
