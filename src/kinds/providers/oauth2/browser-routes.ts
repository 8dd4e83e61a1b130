import { defaultBranding } from '../../../core/brand/branding.ts';
import { pageFrame } from '../../../core/brand/page-frame.ts';
import { csrfField } from '../../../core/session/csrf-form-field.ts';
import { readForm } from '../../../lib/read-form.ts';
import { chooseLanguage } from '../../../lib/texts/languages.ts';
import { message, type UserText, verbatim } from '../../../lib/texts/message.ts';
import { plainPage } from '../../../platform/http/plain-page.ts';
import type { Route } from '../../../platform/http/route.ts';
import type { HandleCall, HttpCall, HttpResponse } from '../../../platform/http/routes.ts';
import { stayingInWindow } from '../../../platform/http/security-headers.ts';
import { browserCall, type BrowserMount as CallMount } from '../../../provider/browser-call.ts';
import { redirectBrowser } from '../../../provider/browser-responses.ts';
import type { Call } from '../../../resource/call.ts';
import type { Engine } from '../../../resource/resource.ts';
import { addRedirectUriForm, addRedirectUriPath, handleAddRedirectUri } from './authorize/add-redirect-uri.ts';
import type { AuthorizeDependencies } from './authorize/dependencies.ts';
import { handleAuthorize } from './authorize/handle-authorize.ts';
import { RefusedRequest } from './authorize/refused-request.ts';
import { devicePath } from './device/device-authorization.ts';
import { handleDevicePage } from './device/device-page.ts';
import { handleEndSession } from './logout/end-session.ts';
import { OAuthError } from './oauth-error.ts';
import { toBrowserError } from './to-oauth-error.ts';
import { authorizePath, endSessionPath } from './urls.ts';

export type BrowserMount = AuthorizeDependencies & CallMount & { readonly engine: Engine };

/** Handles a request of a browser. `text` is the query string, or the submitted form. */
type BrowserEndpoint = (needs: BrowserMount, call: Call, text: string) => Promise<HttpResponse>;

/** The endpoints that browsers visit on the way to a client or back. */
export function browserRoutes(mount: BrowserMount): Route[] {
  const serve =
    (endpoint: BrowserEndpoint): HandleCall =>
    async (http) => {
      const answer = await answerOf(http, async () => endpoint(mount, await browserCall(mount, http), textOf(http)));
      return { ...answer, headers: { ...stayingInWindow, ...answer.headers } };
    };

  async function answerOf(http: HttpCall, work: () => Promise<HttpResponse>): Promise<HttpResponse> {
    try {
      return await work();
    } catch (error) {
      const { refusal, fault } = toBrowserError(error, http.facts.id);
      return { ...(await refusalPage(refusal, http)), fault };
    }
  }

  /** Shown to the user, because there is no verified address to send the error to. */
  async function refusalPage(refusal: OAuthError, http: HttpCall): Promise<HttpResponse> {
    const plain = {
      brand: defaultBranding.title,
      language: chooseLanguage([], http.facts.header('accept-language')),
    };
    const call = await browserCall(mount, http).catch(() => null);
    const form = call && refusal instanceof RefusedRequest ? await formFor(call, refusal, http) : null;
    return plainPage({
      ...((call && (await pageFrame(call).catch(() => null))) ?? plain),
      status: refusal.status,
      title: http.facts.path.includes('/end-session/')
        ? 'This sign-out cannot continue'
        : 'This sign-in cannot continue',
      paragraphs: [
        ...paragraphsOf(refusal, {
          isOffered: form !== null,
          isSignIn: isAuthorize(http),
          isAdministrator: call?.actor?.isSuperuser === true,
        }),
        message('Request id: {id}', { id: http.facts.id }),
      ],
      ...(form && { form }),
      link: { to: '/', text: 'Go to the start page' },
    });
  }

  /** For those who may register the address that the request named. */
  async function formFor(call: Call, { client, unregistered }: RefusedRequest, http: HttpCall) {
    if (unregistered === null || !isAuthorize(http)) return null;
    return addRedirectUriForm(mount, call, client, unregistered, textOf(http)).catch(() => null);
  }

  // A cross-site form is sent without our cookies (SameSite); after a redirect to GET, they are sent.
  const byGet: BrowserEndpoint = async (_needs, { request }, text) => redirectBrowser(`${request.path}?${text}`);
  const routesAt = (path: string, asked: BrowserEndpoint, sent: BrowserEndpoint): Route[] => [
    { methods: ['GET'], path, handle: serve(asked) },
    { methods: ['POST'], path, handle: serve(sent) },
  ];
  return [
    ...[authorizePath, '/application/o/{slug}/authorize/'].flatMap((path) => routesAt(path, handleAuthorize, byGet)),
    ...['/application/o/{slug}/end-session/', endSessionPath].flatMap((path) =>
      routesAt(path, handleEndSession, (mounted, call, text) =>
        (isOurForm(text) ? handleEndSession : byGet)(mounted, call, text),
      ),
    ),
    { methods: ['POST'], path: addRedirectUriPath, handle: serve(handleAddRedirectUri) },
    ...[devicePath, `${devicePath}/`].flatMap((path) => routesAt(path, handleDevicePage, handleDevicePage)),
  ];
}

const isAuthorize = ({ facts }: HttpCall): boolean => facts.path.endsWith('/authorize/');

interface Reader {
  /** Whether they are offered to register the address. */
  readonly isOffered: boolean;
  readonly isSignIn: boolean;
  readonly isAdministrator: boolean;
}

/** Parameters of a request are shown only to those who can do something about them. */
function paragraphsOf(refusal: OAuthError, { isOffered, isSignIn, isAdministrator }: Reader): UserText[] {
  const { words } = refusal;
  const advice = isAdministrator ? words : 'Tell an administrator, and give them the request id.';
  if (!(refusal instanceof RefusedRequest))
    return isSignIn && refusal.code === 'invalid_client'
      ? ['The application that sent you here is not known to this server.', advice]
      : [words];
  const { unregistered, client } = refusal;
  const { name } = client.application;
  if (unregistered === null)
    return isSignIn
      ? [message('{name} sent a request that this server does not accept.', { name }), advice]
      : [words, message('The application is {name}.', { name })];
  const what = message('{name} sent a redirect address that is not registered for it.', { name });
  return isOffered
    ? [
        what,
        verbatim(unregistered),
        message('Add it only if it belongs to {name}: sign-ins are sent to this address.', { name }),
      ]
    : [what, 'An administrator can add it. Give them the request id.'];
}

const isOurForm = (text: string): boolean => new URLSearchParams(text).has(csrfField);

/** The maximum size of a form in bytes; it continues as a URL, which is shorter. */
const maxFormBytes = 65_536;

function textOf({ facts, body }: HttpCall): string {
  if (facts.method !== 'POST') return facts.query.toString();
  if (body.length > maxFormBytes) throw new OAuthError('invalid_request', 'The request is too large.', { status: 413 });
  return readForm(body).toString();
}
