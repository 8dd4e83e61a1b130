import { hash } from 'node:crypto';
import { escapeHtml } from '../../lib/escape-html.ts';
import { directionOf, type Language } from '../../lib/texts/languages.ts';
import { translate } from '../../lib/texts/translate.ts';
import type { HttpResponse } from './routes.ts';

export interface PlainPage {
  readonly status?: number;
  readonly title: string;
  /** The brand's title. */
  readonly brand: string;
  /** The texts are given in English. */
  readonly language: Language;
  readonly paragraphs: readonly string[];
  readonly link?: { readonly to: string; readonly text: string };
  readonly form?: Form;
  /** URLs to load in hidden frames. */
  readonly frames?: readonly string[];
  /** Redirects the browser here after a moment. */
  readonly goOnTo?: string;
}

interface Form {
  readonly action: string;
  readonly hidden: Readonly<Record<string, string>>;
  readonly field?: { readonly name: string; readonly label: string; readonly value: string };
  readonly submit: string;
  /** A second button, which submits the form with this member. */
  readonly otherwise?: { readonly name: string; readonly text: string };
  /** Where submitting it may redirect; browsers apply the page's policy to that too. `anywhere`: not yet determined. */
  readonly leadsTo?: string;
}

/** The style of the flow pages (`web/page/tokens.css`), inlined. */
const style = `:root{color-scheme:light dark}
*{box-sizing:border-box}
body{margin:0;min-height:100dvh;display:grid;place-items:center;padding:1.5rem 1rem;background:light-dark(#f4f5f8,#12151c);
color:light-dark(#1a2030,#e8ebf2);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Noto Sans",sans-serif}
main{width:min(100%,27rem);padding:2rem;border-radius:.875rem;background:light-dark(#fff,#1b1f29);overflow-wrap:anywhere;
box-shadow:0 1px 2px light-dark(rgb(20 26 46/6%),rgb(0 0 0/30%)),0 8px 32px light-dark(rgb(20 26 46/10%),rgb(0 0 0/40%))}
.brand{margin:0 0 1.5rem;font-size:1.25rem;font-weight:650;color:light-dark(#3650c8,#8fa4ff)}
h1{margin:0 0 .5rem;font-size:1.5rem;line-height:1.25}
p{margin:0 0 1rem;color:light-dark(#586076,#a5adbf)}
main>:last-child,form>:last-child{margin-bottom:0}
form+p{margin-top:1rem}
a{color:light-dark(#3650c8,#8fa4ff)}
input,button,.way{font:inherit;width:100%;min-height:2.75rem;padding:.5rem 1rem;border-radius:.5rem}
input{margin:.25rem 0 1rem;border:1px solid light-dark(#8089a0,#78829a);background:light-dark(#fff,#151923);color:inherit;letter-spacing:.1em;text-transform:uppercase}
button,.way{display:flex;align-items:center;justify-content:center;margin:0 0 .75rem;border:1px solid transparent;
background:light-dark(#3b57d6,#4a64e0);color:#fff;font-weight:550;text-decoration:none;cursor:pointer}
button:hover,.way:hover{background:light-dark(#2f47b8,#5d76ee)}
.other,.other:hover{border-color:light-dark(#d9dee7,#343b4b);background:none;color:inherit}
.other:hover{border-color:light-dark(#8089a0,#78829a)}
iframe{display:none}
@media (max-width:30rem){body{display:block;padding:0;background:light-dark(#fff,#1b1f29)}main{width:100%;padding:1.5rem 1rem;box-shadow:none}}`;
const styleHash = hash('sha256', style, 'base64');

/** A framed page may run, but not navigate the top window, open windows or start downloads. */
const framed = 'allow-forms allow-same-origin allow-scripts';

/** A page for the few messages outside of flows. It runs no scripts and loads only what is passed in. */
export function plainPage(page: PlainPage): HttpResponse {
  const { status = 200, brand, language, frames = [], goOnTo } = page;
  const { title, paragraphs, link, form } = translated(page, (text) => translate(language, text));
  const body = [
    `<p class="brand">${escapeHtml(brand)}</p>`,
    `<h1>${escapeHtml(title)}</h1>`,
    ...paragraphs.map((text) => `<p dir="auto">${escapeHtml(text)}</p>`),
    ...(form ? [formOf(form)] : []),
    ...(link ? [linkOf(link, form ? 'aside' : 'way')] : []),
  ];
  const unseen = frames.map(
    (url) => `<iframe src="${escapeHtml(url)}" sandbox="${framed}" title="" referrerpolicy="no-referrer"></iframe>`,
  );
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
<html lang="${language}" dir="${directionOf(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
${goOnTo === undefined ? '' : `<meta http-equiv="refresh" content="3;url=${escapeHtml(goOnTo)}">`}
<title>${escapeHtml(`${title} - ${brand}`)}</title>
<style>${style}</style>
</head>
<body>
<main>
${body.join('\n')}
</main>
${unseen.join('\n')}
</body>
</html>
`,
  };
}

type Words = Pick<PlainPage, 'title' | 'paragraphs' | 'link' | 'form'>;

function translated({ title, paragraphs, link, form }: PlainPage, say: (text: string) => string): Words {
  return {
    title: say(title),
    paragraphs: paragraphs.map(say),
    ...(link && { link: { ...link, text: say(link.text) } }),
    ...(form && { form: translatedForm(form, say) }),
  };
}

const translatedForm = (form: Form, say: (text: string) => string): Form => ({
  ...form,
  submit: say(form.submit),
  ...(form.field && { field: { ...form.field, label: say(form.field.label) } }),
  ...(form.otherwise && { otherwise: { ...form.otherwise, text: say(form.otherwise.text) } }),
});

/** Without another action, the link is the primary one. */
const linkOf = ({ to, text }: NonNullable<PlainPage['link']>, look: 'way' | 'aside'): string =>
  `<p><a class="${look}" href="${escapeHtml(to)}">${escapeHtml(text)}</a></p>`;

/** An address as a CSP source: its origin, or the scheme of an app on the device. */
function sourceOf(address: string): string {
  if (address === 'anywhere') return 'https: http:';
  const { protocol, origin } = new URL(address);
  return origin === 'null' ? protocol : origin;
}

function formOf({ action, hidden, field, submit, otherwise }: Form): string {
  const inputs = Object.entries(hidden).map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
  const input = field
    ? `<label for="asked">${escapeHtml(field.label)}</label>
<input id="asked" name="${escapeHtml(field.name)}" value="${escapeHtml(field.value)}" autocomplete="off" required autofocus>`
    : '';
  const second = otherwise
    ? `\n<button type="submit" name="${escapeHtml(otherwise.name)}" value="1" class="other">${escapeHtml(otherwise.text)}</button>`
    : '';
  return `<form method="post" action="${escapeHtml(action)}">
${inputs.join('\n')}${input}
<button type="submit">${escapeHtml(submit)}</button>${second}
</form>`;
}
