import { languageOfUser } from '../../../core/brand/language.ts';
import { asText } from '../../../lib/json.ts';
import { say, type Text } from '../../../lib/texts/translate.ts';
import { type TransportKind, Undeliverable } from '../../../notify/transport-kind.ts';
import { type Mailer, NoMailServer } from '../../../platform/mail/mailer.ts';

const maxSubjectLength = 75;
const maxDetails = 4_000;
const subjects: Readonly<Record<string, Text>> & { readonly notice: Text } = {
  notice: 'Gatehouse notice: {text}',
  warning: 'Gatehouse warning: {text}',
  alert: 'Gatehouse alert: {text}',
};

export function emailTransport({ mailer }: { readonly mailer: Mailer }): TransportKind {
  return {
    mode: 'email',
    name: 'Email',
    isReady: mailer.isReady,
    async send({ text: body, severity, user, event }) {
      if (user.email === '') return 'The user has no e-mail address.';
      // Strangers choose names that stand in events: they must not write paragraphs.
      const line = body.replace(/\s+/g, ' ');
      const language = languageOfUser(user.attributes, 'en');
      const subject = say(language, subjects[severity] ?? subjects.notice, { text: line.slice(0, maxSubjectLength) });
      const facts = event
        ? [
            say(language, 'Action: {action}', { action: event.action }),
            say(language, 'User: {user}', { user: asText(event.user.username ?? '') }),
            say(language, 'Address: {address}', { address: event.client_ip ?? '' }),
            say(language, 'Time: {time}', { time: event.created }),
            '',
            JSON.stringify(event.context, null, 2).slice(0, maxDetails),
          ]
        : [];
      const greeting = say(language, 'Hello {name},', { name: user.name || user.username });
      const text = [greeting, '', line, '', ...facts].join('\n');
      await mailer.send({ to: user.email, subject, text }).catch((error) => {
        throw error instanceof NoMailServer ? new Undeliverable(error.message) : error;
      });
      return 'The mail server took the message.';
    },
  };
}
