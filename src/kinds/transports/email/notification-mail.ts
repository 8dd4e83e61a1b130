import { whoOf } from '../../../core/event/sentence.ts';
import { isJsonObject } from '../../../lib/json.ts';
import { factLines, linkButton, mailDocument, paragraph } from '../../../lib/mail-document.ts';
import type { Language } from '../../../lib/texts/languages.ts';
import { say, type Text } from '../../../lib/texts/translate.ts';
import type { EventFacts, Message } from '../../../notify/transport-kind.ts';
import type { Mail } from '../../../platform/mail/mail.ts';

const maxSubjectLength = 75;
const maxDetails = 10;
const maxDetailLength = 200;
const subjects: Readonly<Record<string, Text>> & { readonly notice: Text } = {
  notice: 'Gatehouse notice: {text}',
  warning: 'Gatehouse warning: {text}',
  alert: 'Gatehouse alert: {text}',
};

type NotificationContent = Pick<Message, 'text' | 'severity' | 'user' | 'event'>;

/** A notification as a mail: what happened, who did it, where and when, and where to read more. */
export function notificationMail(
  language: Language,
  publicUrl: string,
  { text, severity, user, event }: NotificationContent,
): Pick<Mail, 'subject' | 'text' | 'html'> {
  const what = oneLine(text);
  const subject = say(language, subjects[severity] ?? subjects.notice, { text: clipped(what, maxSubjectLength) });
  const greeting = say(language, 'Hello {name},', { name: user.name || user.username });
  if (!event) {
    const parts = [greeting, what].map(paragraph);
    const html = mailDocument({ language, title: 'Gatehouse', parts });
    return { subject, text: [greeting, '', what, ''].join('\n'), html };
  }
  const facts = factsOf(language, event);
  const button = say(language, 'Read more about it');
  const link = `${publicUrl}/if/admin/events/events/${event.pk}/`;
  const why = say(language, 'You get this mail because a notification rule informs a group that you belong to.');
  return {
    subject,
    text: [greeting, '', what, '', ...facts, '', `${button}: ${link}`, '', why, ''].join('\n'),
    html: mailDocument({
      language,
      title: 'Gatehouse',
      parts: [greeting, what].map(paragraph).concat(factLines(facts), linkButton(button, link), paragraph(why)),
    }),
  };
}

function factsOf(language: Language, event: EventFacts): string[] {
  const { client_ip, created } = event;
  const user = oneLine(whoOf(event, (text, values) => say(language, text, values)));
  return [
    say(language, 'User: {user}', { user }),
    ...(client_ip === null ? [] : [say(language, 'Address: {address}', { address: placeOf(language, event) })]),
    say(language, 'Time: {time}', { time: momentOf(language, created) }),
    ...ownDetails(event),
  ];
}

/** “203.0.113.7 (Germany)”. */
function placeOf(language: Language, { client_ip, context: { geo } }: EventFacts): string {
  const code = isJsonObject(geo) && typeof geo.country === 'string' ? geo.country : '';
  if (!/^[A-Z]{2}$/.test(code)) return client_ip ?? '';
  const country = new Intl.DisplayNames(language, { type: 'region', fallback: 'code' }).of(code) ?? code;
  return `${client_ip} (${country})`;
}

/** By the clock that all recipients share. */
const momentOf = (language: Language, time: string): string =>
  new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'long', timeZone: 'UTC' }).format(new Date(time));

/** The message of custom events of administrators. */
function ownDetails({ action, context }: EventFacts): string[] {
  if (!action.startsWith('custom_')) return [];
  const { message: _, ...others } = context;
  return Object.entries(others)
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
    .slice(0, maxDetails)
    .map(([name, value]) => clipped(oneLine(`${name}: ${value}`), maxDetailLength));
}

/** Anonymous callers choose names in events, which must not contain paragraphs (content injection). */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ');

const clipped = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1).trimEnd()}…` : text;
