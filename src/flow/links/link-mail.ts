import { escapeHtml } from '../../lib/escape-html.ts';
import { directionOf, type Language } from '../../lib/texts/languages.ts';
import { say } from '../../lib/texts/translate.ts';
import type { Mail } from '../../platform/mail/mail.ts';

interface LinkMail {
  readonly language: Language;
  /** The brand's title. */
  readonly title: string;
  /** Whom it greets; may be empty. */
  readonly name: string;
  readonly intro: string;
  readonly button: string;
  readonly link: string;
  /** How long the link is valid, and what to do if the mail was unexpected. */
  readonly closing: readonly string[];
}

/** Renders a mail about a link as plain text and as HTML. All texts are translated already. */
export function writeLinkMail({
  language,
  title,
  name,
  intro,
  button,
  link,
  closing,
}: LinkMail): Pick<Mail, 'text' | 'html'> {
  const greeting = greetingOf(name, language);
  const text = [greeting, '', intro, '', `${button}: ${link}`, '', ...closing, ''].join('\n');
  const address = escapeHtml(link);
  const html = `<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head>
<body style="margin:0;padding:24px;font-family:sans-serif;color:#1f2328;background:#f6f8fa">
<div style="max-width:520px;margin:0 auto;padding:24px;background:#ffffff;border-radius:8px">
<h1 style="font-size:20px">${escapeHtml(title)}</h1>
${[greeting, intro].map(paragraph).join('\n')}
<p><a href="${address}" style="display:inline-block;padding:12px 20px;border-radius:6px;background:#1f4fd8;color:#ffffff;text-decoration:none">${escapeHtml(button)}</a></p>
<p dir="ltr" style="font-size:13px;word-break:break-all">${address}</p>
${closing.map(paragraph).join('\n')}
</div>
</body>
</html>
`;
  return { text, html };
}

const maxNameLength = 60;

/** What reads as a path or an address, also with a dot of another script, or turns the direction of what follows. */
const suspicious = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}/:@]|[.\u3002\uff0e\uff61][\p{L}\p{N}]/u;

/** Names are user input: leave out anything that could read as a message or a link. */
function greetingOf(name: string, language: Language): string {
  const isPlain = name !== '' && name.length <= maxNameLength && !suspicious.test(name);
  return isPlain ? say(language, 'Hello {name},', { name }) : say(language, 'Hello,');
}

const paragraph = (text: string): string => `<p>${escapeHtml(text)}</p>`;
