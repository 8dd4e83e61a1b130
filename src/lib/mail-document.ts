import { accentTones, isColour } from './brand-colours.ts';
import { escapeHtml } from './escape-html.ts';
import { directionOf, type Language } from './texts/languages.ts';

interface MailDocument {
  readonly language: Language;
  readonly title: string;
  /** The brand's colour, `#rrggbb`. */
  readonly accent?: string | undefined;
  /** Made of the parts below, or escaped already. */
  readonly parts: readonly string[];
}

/** A mail as HTML. Styles are inline: mail clients drop others. */
export const mailDocument = ({ language, title, parts, accent }: MailDocument): string => `<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head>
<body style="margin:0;padding:24px;font-family:sans-serif;color:#1f2328;background:#f6f8fa">
<div style="max-width:520px;margin:0 auto;padding:24px;background:#ffffff;border-radius:8px;border-top:4px solid ${tonesOf(accent).ground}">
<h1 style="font-size:20px">${escapeHtml(title)}</h1>
${parts.join('\n')}
</div>
</body>
</html>
`;

/** Mails are light. */
const tonesOf = (accent = '') => accentTones(isColour(accent) ? accent : '#1f4fd8', 'light');

export const paragraph = (text: string): string => `<p>${escapeHtml(text)}</p>`;

/** A button, and the address itself for clients that show none. */
export function linkButton(text: string, link: string, accent?: string): string {
  const { ground, onAccent } = tonesOf(accent);
  const address = escapeHtml(link);
  return `<p><a href="${address}" style="display:inline-block;padding:12px 20px;border-radius:6px;background:${ground};color:${onAccent};text-decoration:none">${escapeHtml(text)}</a></p>
<p dir="ltr" style="font-size:13px;word-break:break-all">${address}</p>`;
}

/** Facts, one a line. */
export const factLines = (lines: readonly string[]): string =>
  `<p style="padding:12px 16px;background:#f6f8fa;border-radius:6px;line-height:1.6">${lines.map(escapeHtml).join('<br>')}</p>`;
