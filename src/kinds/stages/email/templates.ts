import { escapeHtml } from '../../../lib/escape-html.ts';
import { directionOf, type Language } from '../../../lib/texts/languages.ts';
import { say, type Text } from '../../../lib/texts/translate.ts';
import type { Mail } from '../../../platform/mail/mailer.ts';

interface MailFacts {
  /** The brand's title. */
  readonly title: string;
  readonly name: string;
  readonly link: string;
  readonly minutes: number;
  readonly language: Language;
}

interface Template {
  readonly description: string;
  /** Gets the brand's title. */
  readonly intro: Text;
  readonly button: Text;
  readonly unasked: Text;
}

export const defaultTemplate = 'email/password_reset.html';

const passwordReset: Template = {
  description: 'Password Reset',
  intro: 'Somebody, most likely you, asked to choose a new password for your account at {title}.',
  button: 'Choose a new password',
  unasked: 'If it was not you, do nothing: your password stays as it is.',
};

export const templates: Readonly<Record<string, Template>> = {
  [defaultTemplate]: passwordReset,
  'email/account_confirmation.html': {
    description: 'Account Confirmation',
    intro: 'Welcome to {title}. Please confirm that this address is yours.',
    button: 'Confirm the address',
    unasked: 'If you did not sign up, do nothing: the account stays closed.',
  },
};

/** Renders a mail as plain text and as HTML. */
export function writeMail(name: string, facts: MailFacts): Pick<Mail, 'text' | 'html'> {
  const { language } = facts;
  const template = templates[name] ?? passwordReset;
  const intro = say(language, template.intro, { title: facts.title });
  const button = say(language, template.button);
  const unasked = say(language, template.unasked);
  const greeting = greetingOf(facts.name, language);
  const validity = validityOf(facts.minutes, language);
  const text = [greeting, '', intro, '', `${button}: ${facts.link}`, '', validity, unasked, ''].join('\n');
  const paragraphs = [greeting, intro].map(paragraph);
  const address = escapeHtml(facts.link);
  const html = `<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head><meta charset="utf-8"><title>${escapeHtml(facts.title)}</title></head>
<body style="margin:0;padding:24px;font-family:sans-serif;color:#1f2328;background:#f6f8fa">
<div style="max-width:520px;margin:0 auto;padding:24px;background:#ffffff;border-radius:8px">
<h1 style="font-size:20px">${escapeHtml(facts.title)}</h1>
${paragraphs.join('\n')}
<p><a href="${address}" style="display:inline-block;padding:12px 20px;border-radius:6px;background:#1f4fd8;color:#ffffff;text-decoration:none">${escapeHtml(button)}</a></p>
<p dir="ltr" style="font-size:13px;word-break:break-all">${address}</p>
${[validity, unasked].map(paragraph).join('\n')}
</div>
</body>
</html>
`;
  return { text, html };
}

const maxNameLength = 60;

/** Names are user input: leave out anything that could read as a message or a link. */
function greetingOf(name: string, language: Language): string {
  const isPlain = name !== '' && name.length <= maxNameLength && !/[\p{Cc}/:@]|\.\w/u.test(name);
  return isPlain ? say(language, 'Hello {name},', { name }) : say(language, 'Hello,');
}

const paragraph = (text: string): string => `<p>${escapeHtml(text)}</p>`;

const validityOf = (minutes: number, language: Language): string =>
  minutes % 60 === 0
    ? say(language, 'The link works once, within {count, plural, one {# hour} other {# hours}}.', {
        count: minutes / 60,
      })
    : say(language, 'The link works once, within {count, plural, one {# minute} other {# minutes}}.', {
        count: minutes,
      });
