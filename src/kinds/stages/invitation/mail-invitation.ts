import { sql } from 'kysely';
import { countMessage } from '../../../core/attempts/attempts.ts';
import { languageOfUser } from '../../../core/brand/language.ts';
import { pageFrame } from '../../../core/brand/page-frame.ts';
import type { Json } from '../../../lib/json.ts';
import { Invalid, Problem } from '../../../lib/problem.ts';
import { message } from '../../../lib/texts/message.ts';
import type { Jobs } from '../../../platform/jobs/job.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import type { Mailer } from '../../../platform/mail/mailer.ts';
import { longLivedCredentials } from '../../../resource/access/credentials.ts';
import { requireActor } from '../../../resource/call.ts';
import { actionOn } from '../../../resource/define.ts';
import { text } from '../../../resource/fields/text.ts';
import { modelFacts } from '../../../resource/write/audit.ts';
import { invitationModel, slugOfFlow } from './invitation-link.ts';
import { mailInvitation } from './mail-invitation.job.ts';

export interface MailInvitationNeeds {
  readonly key: Pick<InstanceKey, 'hash'>;
  readonly mailer: Mailer;
  jobs(): Jobs;
}

interface InvitationRow {
  readonly pk: string;
  readonly name: string;
  readonly expires: string | null;
  readonly flow: string | null;
  readonly fixed_data: { readonly [name: string]: Json };
}

const address = text({
  max: 254,
  format: 'email',
  nullable: true,
  default: null,
  help: 'Where to send it; the address in the data of the invitation if absent.',
});

/**
 * Mails an invitation. Only the hash of its token is stored, so the mail brings a new link, and earlier ones become
 * invalid. The sender can read the link, so they need the permission to create invitations too.
 */
export function mailInvitationAction({ key, mailer, jobs }: MailInvitationNeeds) {
  return actionOn<InvitationRow>()({
    name: 'send_email',
    on: 'row',
    method: 'POST',
    page: {
      button: 'Send by mail',
      needs: ['svc_stages_invitation.change_invitation', 'svc_stages_invitation.add_invitation'],
    },
    summary: 'Send the invitation by mail, with a new link',
    access: 'change',
    credentials: longLivedCredentials,
    body: { email: address },
    bodySchema: 'InvitationMailRequest',
    answer: { status: 204 },
    async prepare({ call, row, values }) {
      const { holds } = requireActor(call);
      const required = 'svc_stages_invitation.add_invitation';
      if (!holds(required)) throw Problem.lacks(required);
      if (!(await mailer.isReady())) throw Invalid.whole('This server cannot send mails.');
      const email = values.email ?? addressIn(row.fixed_data);
      if (row.expires !== null && row.expires <= call.now) throw Invalid.whole('The invitation has expired.');
      if ((await slugOfFlow(call.db.read, row.flow)) === null)
        throw Invalid.whole('No enrolment flow accepts invitations: bind an invitation stage to one.');
      // The administrator's own language setting does not apply to the invited person.
      const { brand: title, look, language } = await pageFrame({ ...call, actor: null });
      return { email, title, accent: look.accent, language: languageOfUser(row.fixed_data.attributes, language) };
    },
    async run({ tx, call, row, registry, prepared: mail }) {
      const { pk } = row;
      const { email } = mail;
      const by = { user: requireActor(call).user.pk };
      if (!(await countMessage(tx, call, key, { who: email, by, now: call.now })))
        throw new Problem('throttled', 'Too many mails were sent a moment ago. Wait, then try again.');
      await sql`update invitations set token_hash = null, mailed_to = null where pk = ${pk}`.execute(tx);
      await mailInvitation(jobs(), tx, { invitation: pk, ...mail });
      const context = {
        message: message('The invitation {name} is on its way to {to}.', { name: row.name, to: email }),
        model: modelFacts(registry.require(invitationModel), pk, { ...row }),
        to_email: email,
      };
      await call.world.record(tx, call, { action: 'email_sent', app: 'svc_stages_invitation', context });
    },
  });
}

function addressIn({ email }: InvitationRow['fixed_data']): string {
  const parsed = address.parse(email);
  if ('value' in parsed && parsed.value !== null) return parsed.value;
  throw Invalid.field('email', 'Enter an address: the data of the invitation has none.');
}
