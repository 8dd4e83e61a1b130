import { type TransportKind, Undeliverable } from '../../../notify/transport-kind.ts';
import { type Mailer, NoMailServer } from '../../../platform/mail/mailer.ts';

const maxSubjectLength = 75;
const maxDetails = 4_000;

export function emailTransport({ mailer }: { readonly mailer: Mailer }): TransportKind {
  return {
    mode: 'email',
    name: 'Email',
    isReady: mailer.isReady,
    async send({ body, severity, user, event }) {
      if (user.email === '') return 'The user has no e-mail address.';
      const line = body.replace(/\s+/g, ' ');
      const subject = `Gatehouse ${severity}: ${line.slice(0, maxSubjectLength)}`;
      const facts = event
        ? [
            `Action: ${event.action}`,
            `User: ${event.user.username ?? ''}`,
            `Address: ${event.client_ip ?? ''}`,
            `Time: ${event.created}`,
            '',
            JSON.stringify(event.context, null, 2).slice(0, maxDetails),
          ]
        : [];
      const text = [`Hello ${user.name || user.username},`, '', body, '', ...facts].join('\n');
      await mailer.send({ to: user.email, subject, text }).catch((error) => {
        throw error instanceof NoMailServer ? new Undeliverable(error.message) : error;
      });
      return 'The mail server took the message.';
    },
  };
}
