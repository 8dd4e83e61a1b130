import { languageOfUser } from '../../../core/brand/language.ts';
import { type TransportKind, Undeliverable, Undelivered } from '../../../notify/transport-kind.ts';
import { MailError } from '../../../platform/mail/mail-error.ts';
import { awaitedWithinMs, type Mailer } from '../../../platform/mail/mailer.ts';
import { notificationMail } from './notification-mail.ts';

interface Dependencies {
  readonly mailer: Mailer;
  readonly config: { readonly publicUrl: string };
}

export function emailTransport({ mailer, config }: Dependencies): TransportKind {
  return {
    mode: 'email',
    name: 'Email',
    isReady: mailer.isReady,
    needsAddress: true,
    async send(message) {
      const { user } = message;
      if (user.email === '') return { warning: 'The user has no e-mail address.' };
      const mail = notificationMail(languageOfUser(user.attributes, 'en'), config.publicUrl, message);
      // A test is sent while the administrator waits.
      const withinMs = message.event === null ? awaitedWithinMs : undefined;
      await mailer.send({ to: user.email, ...mail }, withinMs).catch(fail);
      return 'The mail server took the message.';
    },
  };
}

function fail(error: unknown): never {
  if (!(error instanceof MailError)) throw error;
  const Failure = error.isFinal ? Undeliverable : Undelivered;
  throw new Failure(error.message, { cause: error });
}
