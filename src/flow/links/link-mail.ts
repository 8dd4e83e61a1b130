import { linkButton, mailDocument, paragraph } from '../../lib/mail-document.ts';
import type { Language } from '../../lib/texts/languages.ts';
import { say } from '../../lib/texts/translate.ts';
import type { Mail } from '../../platform/mail/mail.ts';

interface LinkMail {
  readonly language: Language;
  /** The brand's title. */
  readonly title: string;
  readonly accent?: string | undefined;
  /** Whom it greets; may be empty. */
  readonly name: string;
  readonly intro: string;
  readonly button: string;
  readonly link: string;
  /** The links of further accounts that have the address. */
  readonly others?: readonly { readonly button: string; readonly link: string }[];
  /** How long the link is valid, and what to do if the mail was unexpected. */
  readonly closing: readonly string[];
}

/** Renders a mail about a link as plain text and as HTML. All texts are translated already. */
export function writeLinkMail({
  language,
  title,
  accent,
  name,
  intro,
  button,
  link,
  others = [],
  closing,
}: LinkMail): Pick<Mail, 'text' | 'html'> {
  const greeting = greetingOf(name, language);
  const links = [{ button, link }, ...others];
  const lines = links.flatMap((one) => [`${one.button}: ${one.link}`, '']);
  const text = [greeting, '', intro, '', ...lines, ...closing, ''].join('\n');
  const html = mailDocument({
    language,
    title,
    accent,
    parts: [
      ...[greeting, intro].map(paragraph),
      ...links.map((one) => linkButton(one.button, one.link, accent)),
      ...closing.map(paragraph),
    ],
  });
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
