import { sql } from 'kysely';
import type { JobServer } from '../../../core/kind/kind.ts';
import { writeLinkMail } from '../../../flow/links/link-mail.ts';
import { isJsonObject } from '../../../lib/json.ts';
import type { Language } from '../../../lib/texts/languages.ts';
import { message } from '../../../lib/texts/message.ts';
import { say } from '../../../lib/texts/translate.ts';
import type { Query } from '../../../platform/db/database.ts';
import { type JobKind, type Jobs, PermanentFailure } from '../../../platform/jobs/job.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import type { Mail } from '../../../platform/mail/mail.ts';
import { mailFailure } from '../../../platform/mail/mail-failure.ts';
import type { Mailer } from '../../../platform/mail/mailer.ts';
import { invitationLink, newToken, slugOfFlow } from './invitation-link.ts';

interface JobNeeds extends Pick<JobServer, 'systemCall'> {
  readonly key: Pick<InstanceKey, 'hash'>;
  readonly mailer: Mailer;
  readonly config: { readonly publicUrl: string };
}

interface InvitationMail {
  readonly invitation: string;
  readonly email: string;
  /** The brand's title. */
  readonly title: string;
  /** The brand's colour; missing in jobs of an earlier release. */
  readonly accent?: string | undefined;
  readonly language: Language;
}

interface Invitation {
  readonly name: string;
  readonly fixed_data: string;
  readonly flow: string | null;
  readonly expires: string;
}

const kindName = 'mail_invitation';

/** Queues the mail in the caller's transaction. */
export const mailInvitation = (jobs: Jobs, tx: Query, mail: InvitationMail): Promise<void> =>
  jobs.enqueue(tx, { kind: kindName, payload: mail });

export function mailInvitationJob({ key, mailer, config, systemCall }: JobNeeds): JobKind<InvitationMail> {
  return {
    name: kindName,
    summary: 'Send an invitation by mail.',
    lane: 'urgent',
    isOutgoing: true,
    async run({ payload, attempt }) {
      const { db, now } = systemCall();
      const { rows } = await sql<Invitation>`select name, fixed_data, flow, expires from invitations
        where pk = ${payload.invitation} and expires > ${now}`.execute(db.read);
      const [invitation] = rows;
      const slug = invitation ? await slugOfFlow(db.read, invitation.flow) : null;
      if (!invitation || slug === null) {
        // Earlier attempts failed: the invitee never got a mail.
        if (attempt > 1) throw new PermanentFailure('the invitation has expired before the mail could be sent');
        return 'The invitation is not valid any more.';
      }
      const token = newToken();
      // The token is in the mail alone: nothing else may read it.
      await db.write((tx) =>
        sql`update invitations set token_hash = ${key.hash(token)}, mailed_to = ${payload.email} where pk = ${payload.invitation}`.execute(
          tx,
        ),
      );
      const mail = writeInvitation(payload, invitation, invitationLink(config.publicUrl, slug, token));
      await mailer.send(mail).catch((error) => {
        throw mailFailure(error);
      });
      return 'The mail server took the message.';
    },
    async afterFailure(tx, { payload, message: reason }) {
      const call = systemCall();
      const context = {
        message: message('A mail could not be sent. {reason}', { reason }),
        task: kindName,
        to_email: payload.email,
      };
      await call.world.record(tx, call, { action: 'system_task_exception', app: 'svc_stages_invitation', context });
    },
  };
}

function writeInvitation(
  { email, title, accent, language }: InvitationMail,
  invitation: Invitation,
  link: string,
): Mail {
  const preset: unknown = JSON.parse(invitation.fixed_data);
  const date = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
  const until = `${date.format(new Date(invitation.expires))} UTC`;
  const words = writeLinkMail({
    ...{ language, title, accent, link },
    name: isJsonObject(preset) && typeof preset.name === 'string' ? preset.name : '',
    intro: say(language, 'You are invited to create an account at {title}.', { title }),
    button: say(language, 'Create your account'),
    closing: [
      say(language, 'The link is valid until {time}.', { time: until }),
      say(language, 'If you did not expect this mail, do nothing.'),
    ],
  });
  return { to: email, subject: say(language, 'Your invitation to {title}', { title }), ...words };
}
