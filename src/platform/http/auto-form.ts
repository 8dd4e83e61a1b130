import { hash } from 'node:crypto';
import { escapeHtml } from '../../lib/escape-html.ts';
import type { HttpResponse } from './routes.ts';

const submit = 'document.forms[0].submit()';
const submitHash = hash('sha256', submit, 'base64');

/**
 * A page whose form submits itself to another server. The policy allows no script but the line that submits it (XSS).
 */
export function autoForm(action: string, members: Readonly<Record<string, string>>): HttpResponse {
  const inputs = Object.entries(members)
    .map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`)
    .join('\n');
  return {
    status: 200,
    headers: {
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'content-type': 'text/html; charset=utf-8',
      // No `form-action`: browsers would apply it to the other server's redirects too.
      'content-security-policy': `default-src 'none'; script-src 'sha256-${submitHash}'; base-uri 'none'; frame-ancestors 'none'`,
    },
    body: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>One moment…</title>
<form method="post" action="${escapeHtml(action)}">
${inputs}
<noscript><p>You are being redirected.</p><button type="submit">Continue</button></noscript>
</form>
<script>${submit}</script>
</html>
`,
  };
}
