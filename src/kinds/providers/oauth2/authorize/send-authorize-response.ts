import { autoForm } from '../../../../platform/http/auto-form.ts';
import type { HttpResponse } from '../../../../platform/http/routes.ts';
import { redirectBrowser } from '../../../../provider/browser-responses.ts';
import type { ResponseTarget } from './authorize-request.ts';

/** Sends an authorization response through the browser; `iss` prevents mix-up attacks (RFC 9207). */
export function sendAuthorizeResponse(
  { redirect_uri, response_mode, state }: ResponseTarget,
  issuer: string,
  members: Readonly<Record<string, string>>,
  status: 302 | 303 = 302,
): HttpResponse {
  const all = { ...members, ...(state !== null && { state }), iss: issuer };
  // OAuth 2.0 Form Post Response Mode.
  if (response_mode === 'form_post') return autoForm(redirect_uri, all);
  return { ...redirectBrowser(withMembers(redirect_uri, response_mode === 'fragment' ? '#' : '?', all)), status };
}

/** Appends parameters to a URI; its own stay as registered. */
function withMembers(uri: string, mark: '?' | '#', members: Readonly<Record<string, string>>): string {
  const further = /[?&]$/.test(uri) ? '' : '&';
  const joint = mark === '?' && uri.includes('?') ? further : mark;
  return `${uri}${joint}${new URLSearchParams(members)}`;
}
