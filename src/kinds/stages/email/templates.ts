import { writeLinkMail } from '../../../flow/links/link-mail.ts';
import type { Language } from '../../../lib/texts/languages.ts';
import { say, type Text } from '../../../lib/texts/translate.ts';
import type { Mail } from '../../../platform/mail/mail.ts';

interface MailFacts {
  /** The brand's title. */
  readonly title: string;
  readonly accent?: string | undefined;
  readonly name: string;
  readonly link: string;
  readonly minutes: number;
  /** Where several accounts have the address: each with its link, of which `link` is the first. */
  readonly accounts?: readonly { readonly username: string; readonly link: string }[];
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
  intro: 'Someone, most likely you, requested a new password for your account at {title}.',
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

export function writeMail(
  name: string,
  { title, language, minutes, accounts = [], ...facts }: MailFacts,
): Pick<Mail, 'text' | 'html'> {
  const template = templates[name] ?? passwordReset;
  const button = say(language, template.button);
  const [first, ...others] = accounts.map(({ username, link }) => ({ button: `${button} (${username})`, link }));
  return writeLinkMail({
    ...facts,
    title,
    language,
    intro: first ? say(language, 'Several accounts have this address.') : say(language, template.intro, { title }),
    button: first?.button ?? button,
    others,
    closing: [validityOf(minutes, language), say(language, template.unasked)],
  });
}

const validityOf = (minutes: number, language: Language): string =>
  minutes % 60 === 0
    ? say(language, 'The link works once, within {count, plural, one {# hour} other {# hours}}.', {
        count: minutes / 60,
      })
    : say(language, 'The link works once, within {count, plural, one {# minute} other {# minutes}}.', {
        count: minutes,
      });
