import { hash } from 'node:crypto';
import { escapeHtml } from '../../lib/escape-html.ts';
import { directionOf, type Language } from '../../lib/texts/languages.ts';
import { inLanguage, type UserText } from '../../lib/texts/message.ts';
import type { HttpResponse } from './routes.ts';

export interface PlainPage {
  readonly status?: number;
  readonly title: UserText;
  /** The brand's title. */
  readonly brand: string;
  readonly look?: PageLook;
  readonly language: Language;
  readonly paragraphs: readonly UserText[];
  readonly link?: { readonly to: string; readonly text: UserText };
  readonly form?: Form;
  /** Links of the operator, below the rest. */
  readonly footer?: readonly { readonly name: string; readonly href: string | null }[];
  /** URLs to load in hidden frames. */
  readonly frames?: readonly string[];
  /** Redirects the browser here after a moment. */
  readonly goOnTo?: string;
}

interface Form {
  readonly action: string;
  readonly hidden: Readonly<Record<string, string>>;
  readonly field?: { readonly name: string; readonly label: UserText; readonly value: string };
  readonly submit: UserText;
  /** A second button, which submits the form with this member. */
  readonly otherwise?: { readonly name: string; readonly text: UserText };
  /** Where submitting it may redirect; browsers apply the page's policy to that too. `anywhere`: not yet determined. */
  readonly leadsTo?: string;
}

/** The style of the flow pages (`web/page/tokens.css`, `web/flow/frame.css`), inlined. Brands set the variables. */
const style = `:root{color-scheme:light dark;--accent:light-dark(#3650c8,#8fa4ff);--accent-ground:light-dark(#3b57d6,#4a64e0);
--accent-ground-strong:light-dark(#2f47b8,#5d76ee);--on-accent:#fff;--accent-tint:light-dark(#eceffd,#232b4a);
--surface:light-dark(#fff,#1b1f29);--line:light-dark(#d9dee7,#343b4b);--line-strong:light-dark(#8089a0,#78829a);--quiet:light-dark(#586076,#a5adbf);
--brand-ground:radial-gradient(60rem 40rem at 15% -10%,var(--accent-tint),transparent 70%),
radial-gradient(50rem 40rem at 100% 110%,var(--accent-tint),transparent 70%),light-dark(#f4f5f8,#12151c)}
:root[data-theme=light]{color-scheme:light}
:root[data-theme=dark]{color-scheme:dark}
*{box-sizing:border-box}
body{margin:0;min-height:100dvh;display:grid;place-items:center;padding:1.5rem 1rem;background:var(--brand-ground) fixed;
color:light-dark(#1a2030,#e8ebf2);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Noto Sans",sans-serif}
.ground{position:fixed;inset:0;z-index:-1;width:100%;height:100%;object-fit:cover}
main{width:min(100%,27rem);padding:2rem;border-radius:.875rem;background:var(--surface);overflow-wrap:anywhere;
box-shadow:0 1px 2px light-dark(rgb(20 26 46/6%),rgb(0 0 0/30%)),0 8px 32px light-dark(rgb(20 26 46/10%),rgb(0 0 0/40%))}
.brand{display:block;height:1.5rem;max-width:100%;margin:0 0 1.5rem;object-fit:contain;font-size:.9375rem;font-weight:600;color:var(--quiet)}
h1{margin:0 0 .5rem;font-size:1.5rem;line-height:1.25;font-weight:650}
p{margin:0 0 1rem;color:var(--quiet)}
main>:last-child,form>:last-child{margin-bottom:0}
form+p{margin-top:1rem}
a{color:var(--accent)}
input,button,.way{font:inherit;width:100%;min-height:2.75rem;padding:.5rem 1rem;border-radius:.5rem}
input{margin:.25rem 0 1rem;border:1px solid var(--line-strong);background:light-dark(#fff,#151923);color:inherit;letter-spacing:.1em;text-transform:uppercase}
button,.way{display:flex;align-items:center;justify-content:center;margin:0 0 .75rem;border:1px solid transparent;
background:var(--accent-ground);color:var(--on-accent);font-weight:550;text-decoration:none;cursor:pointer}
button:hover,.way:hover{background:var(--accent-ground-strong)}
.other,.other:hover{border-color:var(--line);background:none;color:inherit}
.other:hover{border-color:var(--line-strong)}
iframe{display:none}
@media (min-width:60rem){body[data-layout=left],body[data-layout=right]{padding:0;justify-items:start}body[data-layout=right]{justify-items:end}
body[data-layout=left] main,body[data-layout=right] main{width:30rem;min-height:100dvh;padding:3rem;border-radius:0;display:flex;flex-direction:column;justify-content:center}body:not([data-layout=centred]) .brand{align-self:start}}
@media (max-width:30rem){body{display:block;padding:0;background:var(--surface)}.ground{display:none}main{width:100%;padding:1.5rem 1rem;box-shadow:none}}`;
const styleSource = (text: string): string => `'sha256-${hash('sha256', text, 'base64')}'`;
const ownStyleSource = styleSource(style);

/** How the pages of a brand look. */
export interface PageLook {
  /** Addresses of images. Null shows none: where the page stands at the host of an application, ours would not load. */
  readonly logo: string | null;
  readonly favicon: string | null;
  readonly background: string | null;
  readonly theme: 'automatic' | 'light' | 'dark';
  readonly layout: 'centred' | 'left' | 'right';
  /** A style sheet that sets the colours; empty for those of the program. */
  readonly style: string;
}

/** For pages that cannot ask the database for the brand. */
const noLook: PageLook = {
  ...{ logo: null, favicon: null, background: null },
  ...{ theme: 'automatic', layout: 'centred', style: '' },
};

/** A framed page may run, but not navigate the top window, open windows or start downloads. */
const framed = 'allow-forms allow-same-origin allow-scripts';

/** A page for the few messages outside of flows. It runs no scripts and loads only what is passed in. */
export function plainPage(page: PlainPage): HttpResponse {
  const { status = 200, brand, look = noLook, language, footer = [], frames = [], goOnTo } = page;
  const say: Say = (text) => escapeHtml(inLanguage(language, text));
  const { title, paragraphs, link, form } = page;
  const body = [
    look.logo
      ? `<img class="brand" src="${escapeHtml(look.logo)}" alt="${escapeHtml(brand)}">`
      : `<p class="brand">${escapeHtml(brand)}</p>`,
    `<h1>${say(title)}</h1>`,
    ...paragraphs.map((text) => `<p dir="auto">${say(text)}</p>`),
    ...(form ? [formOf(form, say)] : []),
    ...(link ? [linkOf(link.to, say(link.text), form ? 'aside' : 'way')] : []),
    ...footer.map(({ name, href }) => (href ? linkOf(href, escapeHtml(name), 'aside') : `<p>${escapeHtml(name)}</p>`)),
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
        `style-src ${ownStyleSource}${look.style && ` ${styleSource(look.style)}`}`,
        "img-src 'self' data: https:",
        `form-action 'self'${form?.leadsTo === undefined ? '' : ` ${sourceOf(form.leadsTo)}`}`,
        `frame-src ${frames.length > 0 ? [...new Set(frames.map((url) => new URL(url).origin))].join(' ') : "'none'"}`,
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ].join('; '),
    },
    body: `<!doctype html>
<html lang="${language}" dir="${directionOf(language)}" data-theme="${look.theme}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
${goOnTo === undefined ? '' : `<meta http-equiv="refresh" content="3;url=${escapeHtml(goOnTo)}">`}
<title>${say(title)} - ${escapeHtml(brand)}</title>
${look.favicon ? `<link rel="icon" href="${escapeHtml(look.favicon)}">` : ''}
<style>${style}</style>${look.style && `\n<style>${look.style}</style>`}
</head>
<body data-layout="${look.layout}">
${look.background ? `<img class="ground" src="${escapeHtml(look.background)}" alt="">` : ''}
<main>
${body.join('\n')}
</main>
${unseen.join('\n')}
</body>
</html>
`,
  };
}

/** A text as markup, in the language of the page. */
type Say = (text: UserText) => string;

/** Without another action, the link is the primary one. */
const linkOf = (to: string, markup: string, look: 'way' | 'aside'): string =>
  `<p><a class="${look}" href="${escapeHtml(to)}">${markup}</a></p>`;

/** An address as a CSP source: its origin, or the scheme of an app on the device. */
function sourceOf(address: string): string {
  if (address === 'anywhere') return 'https: http:';
  const { protocol, origin } = new URL(address);
  return origin === 'null' ? protocol : origin;
}

function formOf({ action, hidden, field, submit, otherwise }: Form, say: Say): string {
  const inputs = Object.entries(hidden).map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
  const input = field
    ? `<label for="asked">${say(field.label)}</label>
<input id="asked" name="${escapeHtml(field.name)}" value="${escapeHtml(field.value)}" autocomplete="off" required autofocus>`
    : '';
  const second = otherwise
    ? `\n<button type="submit" name="${escapeHtml(otherwise.name)}" value="1" class="other">${say(otherwise.text)}</button>`
    : '';
  return `<form method="post" action="${escapeHtml(action)}">
${inputs.join('\n')}${input}
<button type="submit">${say(submit)}</button>${second}
</form>`;
}
