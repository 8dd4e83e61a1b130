import { hash } from 'node:crypto';
import { escapeHtml } from '../../../lib/escape-html.ts';
import type { BrowserAnswer } from './authorize/answer-client.ts';

interface Page {
  readonly status?: number;
  readonly title: string;
  /** What the server is called towards people. */
  readonly brand: string;
  readonly paragraphs: readonly string[];
  readonly link?: { readonly to: string; readonly text: string };
  readonly form?: Form;
  /** Addresses that are told by being loaded, unseen. */
  readonly frames?: readonly string[];
  /** Where the browser goes by itself, a moment later. */
  readonly goOnTo?: string;
}

interface Form {
  readonly action: string;
  readonly hidden: Readonly<Record<string, string>>;
  readonly field?: { readonly name: string; readonly label: string; readonly value: string };
  readonly submit: string;
  /** A second button, which sends the form with this member. */
  readonly otherwise?: { readonly name: string; readonly text: string };
  /** Where the answer to it may lead; browsers hold that to the policy of the page. */
  readonly leadsTo?: string;
}

const style = `:root{color-scheme:light dark}
body{font:1rem/1.5 system-ui,sans-serif;max-width:28rem;margin:15vh auto 0;padding:0 1.5rem}
h1{font-size:1.4rem}
input,button,.way{font:inherit;padding:.6rem .8rem;border-radius:.4rem;border:1px solid #8888}
input{width:100%;box-sizing:border-box;margin:.25rem 0 1rem;letter-spacing:.1em;text-transform:uppercase}
button,.way{background:#1f5fbf;border-color:#1f5fbf;color:#fff;cursor:pointer}
.way{display:inline-block;text-decoration:none}
.other{background:none;color:inherit}
iframe{display:none}`;
const styleHash = hash('sha256', style, 'base64');

/** A page for the few things that are said outside of flows. It runs nothing and loads nothing but what it is told to. */
export function plainPage(page: Page): BrowserAnswer {
  const { status = 200, title, brand, paragraphs, link, form, frames = [], goOnTo } = page;
  const body = [
    `<h1>${escapeHtml(title)}</h1>`,
    ...paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`),
    ...(form ? [formOf(form)] : []),
    ...(link ? [linkOf(link, form ? 'aside' : 'way')] : []),
    ...frames.map((url) => `<iframe src="${escapeHtml(url)}" title="" referrerpolicy="no-referrer"></iframe>`),
  ];
  return {
    status,
    headers: {
      'cache-control': 'no-store',
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': [
        "default-src 'none'",
        `style-src 'sha256-${styleHash}'`,
        `form-action 'self'${form?.leadsTo === undefined ? '' : ` ${sourceOf(form.leadsTo)}`}`,
        `frame-src ${frames.length > 0 ? [...new Set(frames.map((url) => new URL(url).origin))].join(' ') : "'none'"}`,
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ].join('; '),
    },
    body: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
${goOnTo === undefined ? '' : `<meta http-equiv="refresh" content="3;url=${escapeHtml(goOnTo)}">`}
<title>${escapeHtml(`${title} - ${brand}`)}</title>
<style>${style}</style>
</head>
<body>
${body.join('\n')}
</body>
</html>
`,
  };
}

/** Where there is nothing else to do, the link is the way on. */
const linkOf = ({ to, text }: NonNullable<Page['link']>, look: 'way' | 'aside'): string =>
  `<p><a class="${look}" href="${escapeHtml(to)}">${escapeHtml(text)}</a></p>`;

/** An address as a policy names it: its origin, or the scheme of an app on the device. */
function sourceOf(address: string): string {
  const { protocol, origin } = new URL(address);
  return origin === 'null' ? protocol : origin;
}

function formOf({ action, hidden, field, submit, otherwise }: Form): string {
  const inputs = Object.entries(hidden).map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
  const asked = field
    ? `<label for="asked">${escapeHtml(field.label)}</label>
<input id="asked" name="${escapeHtml(field.name)}" value="${escapeHtml(field.value)}" autocomplete="off" required autofocus>`
    : '';
  const second = otherwise
    ? `\n<button type="submit" name="${escapeHtml(otherwise.name)}" value="1" class="other">${escapeHtml(otherwise.text)}</button>`
    : '';
  return `<form method="post" action="${escapeHtml(action)}">
${inputs.join('\n')}${asked}
<button type="submit">${escapeHtml(submit)}</button>${second}
</form>`;
}
