import type { PageNeeds } from '../../flow/page-needs.ts';
import { escapeHtml } from '../../lib/escape-html.ts';
import { directionOf, type Language } from '../../lib/texts/languages.ts';
import { say } from '../../lib/texts/translate.ts';
import type { Row } from '../../resource/fields/field.ts';
import type { PageFiles } from './page-files.ts';

export const assetPrefix = '/static/pages/';

/** Whether a page frames another of ours, or is made to be framed by ours. */
export type Framing = 'none' | 'frames' | 'framed';

/** No inline code, no eval, nothing external but images and the origins that this page's stages need. */
export function pagePolicy({ services, connections, forms }: Required<PageNeeds>, framing: Framing): string {
  const isFramed = framing === 'framed';
  const sources = (...origins: string[]) => ["'self'", ...origins].join(' ');
  const formTargets = forms ? sources('https:', 'http:') : sources();
  const policy = [
    "default-src 'none'",
    `script-src ${sources(...services)}`,
    "script-src-attr 'none'",
    `style-src ${sources(...services)}`,
    "img-src 'self' data: https:",
    "font-src 'self'",
    `connect-src ${isFramed ? "'none'" : sources(...services, ...connections)}`,
    `frame-src ${framing === 'frames' ? sources(...services) : services.join(' ') || "'none'"}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    `form-action ${isFramed ? "'none'" : formTargets}`,
    `frame-ancestors ${isFramed ? "'self'" : "'none'"}`,
    "object-src 'none'",
  ];
  // Scripts of others make their elements as they like; ours never write markup or scripts from text.
  if (services.length === 0) policy.push("require-trusted-types-for 'script'", "trusted-types 'none'");
  return policy.join('; ');
}

/** The HTML document of every page. It contains the brand; everything else comes from the API. */
export function pageShell(
  files: PageFiles,
  brand: Row,
  language: Language,
  data: Readonly<Record<string, string>>,
): string {
  const brandTitle = String(brand.branding_title);
  const title = escapeHtml(brandTitle);
  const needsScript = say(language, '{name} needs JavaScript to sign you in. Please allow it for this site.', {
    name: brandTitle,
  });
  const told = Object.entries(data).map(([name, value]) => ` ${attribute(name)}="${escapeHtml(value)}"`);
  const scripts = [...files.preload, ...[files.texts[language] ?? []].flat()];
  const modules = scripts.map((name) => `<link rel="modulepreload" href="${assetPrefix}${name}">`);
  return `<!doctype html>
<html lang="${language}" dir="${directionOf(language)}" data-theme="${escapeHtml(String(brand.ui_theme))}">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<link rel="icon" href="${escapeHtml(String(brand.branding_favicon))}">
<link rel="stylesheet" href="${assetPrefix}${files.style}">${brand.ui_style ? `\n<link rel="stylesheet" href="${escapeHtml(String(brand.ui_style))}">` : ''}
${modules.join('\n')}
<script type="module" src="${assetPrefix}${files.script}"></script>
</head>
<body>
<div id="page" data-brand="${escapeHtml(JSON.stringify(brand))}"${told.join('')}></div>
<noscript>${escapeHtml(needsScript)}</noscript>
</body>
</html>
`;
}

/** As a page's script reads it from `dataset`: `mediaApi` is written `data-media-api`. */
const attribute = (name: string): string => `data-${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
