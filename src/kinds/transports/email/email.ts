import { languageOfUser } from '../../../core/brand/language.ts';
import { type TransportKind, Undeliverable } from '../../../notify/transport-kind.ts';
import { type Mailer, NoMailServer } from '../../../platform/mail/mailer.ts';
import { notificationMail } from './notification-mail.ts';

interface Needs {
  readonly mailer: Mailer;
  readonly config: { readonly publicUrl: string };
}

export function emailTransport({ mailer, config }: Needs): TransportKind {
  return {
    mode: 'email',
    name: 'Email',
    isReady: mailer.isReady,
    async send(message) {
      const { user } = message;
      if (user.email === '') return 'The user has no e-mail address.';
      const mail = notificationMail(languageOfUser(user.attributes, 'en'), config.publicUrl, message);
      await mailer.send({ to: user.email, ...mail }).catch((error) => {
        throw error instanceof NoMailServer ? new Undeliverable(error.message) : error;
      });
      return 'The mail server took the message.';
    },
  };
}
