import { Invalid } from '../../lib/problem.ts';
import { message } from '../../lib/texts/message.ts';
import type { Log } from '../../platform/log.ts';
import { MailError } from '../../platform/mail/mail-error.ts';
import { awaitedWithinMs, type Mailer } from '../../platform/mail/mailer.ts';
import { longLivedCredentials } from '../../resource/access/credentials.ts';
import { requireActor } from '../../resource/call.ts';
import { objectSchema, stringSchema } from '../../resource/document/json-schema.ts';
import { defineEndpoint, type Endpoint } from '../../resource/endpoint.ts';
import { isDryRun } from '../../resource/write/write.ts';

interface Dependencies {
  readonly mailer: Mailer;
  readonly log: Log;
  readonly config: { readonly publicUrl: string };
}

/** Sends a test mail to the caller's own address, through the server's mail settings. */
export const testMailEndpoint = ({ mailer, config, log }: Dependencies): Endpoint =>
  defineEndpoint({
    id: 'admin_mail_test_create',
    method: 'POST',
    path: '/admin/mail/test/',
    summary: 'Send a test mail to yourself',
    access: 'superuser',
    credentials: longLivedCredentials,
    answer: { status: 200, schema: objectSchema({ to: stringSchema }), schemaName: 'MailTest' },
    async prepare({ call }) {
      const { email, username } = requireActor(call).user;
      if (email === '') throw Invalid.whole('Your account has no e-mail address. Enter one, then try again.');
      if (isDryRun(call)) return email;
      try {
        const text = `This is a test mail from ${config.publicUrl}, requested by ${username}. Mail works.`;
        await mailer.send({ to: email, subject: 'Test mail from Gatehouse', text }, awaitedWithinMs);
      } catch (error) {
        if (!(error instanceof MailError)) throw error;
        log.warn({ err: error }, 'a test mail could not be sent');
        throw Invalid.whole(`The mail could not be sent. ${error.message}`);
      }
      return email;
    },
    async run({ call, tx, prepared: to }) {
      await call.world.record(tx, call, {
        action: 'email_sent',
        app: 'svc_stages_email',
        context: {
          message: message('A test mail was sent to {to}.', { to }),
          subject: 'Test mail from Gatehouse',
          to_email: [to],
        },
      });
      return { to };
    },
  });
