import { hash } from 'node:crypto';
import { escapeHtml } from '../../../../lib/escape-html.ts';
import type { HttpAnswer } from '../../../../platform/http/routes.ts';
import type { AnswerTo } from './authorize-request.ts';

const notStored = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };

/** Carries an answer to a client by way of the browser; `iss` says whose it is (RFC 9207). */
export function answerClient(
  { redirect_uri, response_mode, state }: AnswerTo,
  issuer: string,
  members: Readonly<Record<string, string>>,
  status: 302 | 303 = 302,
): HttpAnswer {
  const all = { ...members, ...(state !== null && { state }), iss: issuer };
  if (response_mode === 'form_post') return formPost(redirect_uri, all);
  return { ...redirectBrowser(withMembers(redirect_uri, response_mode === 'fragment' ? '#' : '?', all)), status };
}

/** The address with these parameters behind it; what it has already stays as it was registered. */
function withMembers(uri: string, mark: '?' | '#', members: Readonly<Record<string, string>>): string {
  const joint = mark === '?' && uri.includes('?') ? (/[?&]$/.test(uri) ? '' : '&') : mark;
  return `${uri}${joint}${new URLSearchParams(members)}`;
}

export const redirectBrowser = (location: string, cookies: readonly string[] = []): HttpAnswer => ({
  status: 302,
  headers: { ...notStored, location, ...(cookies.length > 0 && { 'set-cookie': [...cookies] }) },
});

const submit = 'document.forms[0].submit()';
const submitHash = hash('sha256', submit, 'base64');

/** OAuth 2.0 Form Post Response Mode. Nothing on the page runs but the one line that sends the form. */
function formPost(uri: string, members: Readonly<Record<string, string>>): HttpAnswer {
  const inputs = Object.entries(members)
    .map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`)
    .join('\n');
  return {
    status: 200,
    headers: {
      ...notStored,
      'content-type': 'text/html; charset=utf-8',
      // Where the form goes is not named: browsers would hold the client's own redirects to it as well.
      'content-security-policy': `default-src 'none'; script-src 'sha256-${submitHash}'; base-uri 'none'; frame-ancestors 'none'`,
    },
    body: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>One moment…</title>
<form method="post" action="${escapeHtml(uri)}">
${inputs}
<noscript><p>You are being taken on.</p><button type="submit">Continue</button></noscript>
</form>
<script>${submit}</script>
</html>
`,
  };
}
