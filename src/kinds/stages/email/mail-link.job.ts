import { sql } from 'kysely';
import { languageOfUser } from '../../../core/brand/language.ts';
import type { JobServer } from '../../../core/kind/kind.ts';
import { loadStage } from '../../../flow/executor/load-stage.ts';
import { addressOfLink, contentOf, createLinkToken } from '../../../flow/links/flow-link.ts';
import { type Cidrs, parseCidrs } from '../../../lib/cidr.ts';
import { isSameName } from '../../../lib/name-key.ts';
import { Problem } from '../../../lib/problem.ts';
import type { Language } from '../../../lib/texts/languages.ts';
import { message } from '../../../lib/texts/message.ts';
import { translate } from '../../../lib/texts/translate.ts';
import type { Config } from '../../../platform/config.ts';
import type { Query } from '../../../platform/db/database.ts';
import { type JobKind, type Jobs, PermanentFailure } from '../../../platform/jobs/job.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import type { Mail } from '../../../platform/mail/mail.ts';
import { mailFailure } from '../../../platform/mail/mail-failure.ts';
import type { Mailer } from '../../../platform/mail/mailer.ts';
import { sendThrough } from '../../../platform/mail/send-through.ts';
import type { Call } from '../../../resource/call.ts';
import type { RowOf } from '../../../resource/resource.ts';
import { emailStage } from './email-stage.resource.ts';
import { writeMail } from './templates.ts';

export interface MailNeeds {
  readonly key: InstanceKey;
  readonly mailer: Mailer;
  readonly config: Pick<Config, 'publicUrl' | 'outboundAllow'>;
}

type JobNeeds = MailNeeds & Pick<JobServer, 'engine' | 'systemCall'>;

interface LinkMail {
  /** The key of the link. Its token is created when the mail is written, and is stored nowhere. */
  readonly link: string;
  readonly stage: string;
  readonly title: string;
  /** The brand's colour; missing in jobs of an earlier release. */
  readonly accent?: string | undefined;
  /** The language of the request; missing in jobs of an earlier release. */
  readonly language?: Language;
  /** The links of further accounts that have the same address. */
  readonly others?: readonly string[];
  /** The address, if there is no account yet; otherwise the link contains the user. */
  readonly to?: string;
  /** Whether an event already records who requested the mail. */
  readonly isRecorded: boolean;
}

const kindName = 'mail_link';

/** Queues the mail in the caller's transaction. */
export const mailLink = (jobs: Jobs, tx: Query, mail: LinkMail): Promise<void> =>
  jobs.enqueue(tx, { kind: kindName, payload: mail });

interface Recipient {
  readonly username: string;
  readonly name: string;
  readonly email: string;
  readonly attributes: string;
  readonly slug: string;
}

export function mailLinkJob(needs: JobNeeds): JobKind<LinkMail> {
  const { key, config, engine, systemCall } = needs;
  // Allowed ranges for mail servers of stages, in addition to public addresses (SSRF).
  const allow = parseCidrs(config.outboundAllow);
  return {
    name: kindName,
    summary: 'Send a link by email.',
    lane: 'urgent',
    isOutgoing: true,
    async run({ payload, attempt }) {
      const { link, stage, title, accent, isRecorded, language: asked = 'en', to, others = [] } = payload;
      const call = systemCall();
      const recipient = await (to === undefined ? recipientOf(key, call, link) : newcomerAt(to, call, link));
      if (!recipient) {
        // Earlier attempts failed, so a recipient was there: the person waits for a mail that cannot come any more.
        if (attempt > 1)
          throw new PermanentFailure('the link has expired or was withdrawn before the mail could be sent');
        return 'There is no user to send it to.';
      }
      const settings = await loadStage(engine(), emailStage, stage, call).catch(nullIfGone);
      if (!settings) return 'The stage is gone.';
      const token = await call.db.write((tx) => createLinkToken(tx, key, link));
      const linkTo = (slug: string, given: string) => addressOfLink(config.publicUrl, slug, given);
      const accounts = others.length > 0 ? [{ username: recipient.username, link: linkTo(recipient.slug, token) }] : [];
      for (const other of others) {
        const one = await recipientOf(key, call, other);
        if (!one || !isSameName(one.email, recipient.email)) continue;
        const given = await call.db.write((tx) => createLinkToken(tx, key, other));
        accounts.push({ username: one.username, link: linkTo(one.slug, given) });
      }
      const language = languageOfUser(JSON.parse(recipient.attributes), asked);
      const facts = {
        title,
        accent,
        language,
        name: accounts.length > 0 ? '' : recipient.name || recipient.username,
        link: linkTo(recipient.slug, token),
        accounts,
        minutes: settings.token_expiry,
      };
      const words = writeMail(settings.template, facts);
      const mail = { to: recipient.email, subject: translate(language, settings.subject), ...words };
      await sendBy(needs.mailer, allow, settings, mail);
      const about = {
        message: message('A mail was sent to {to}.', { to: mail.to }),
        subject: mail.subject,
        to_email: mail.to,
      };
      const event = { action: 'email_sent', app: 'svc_stages_email', context: about };
      if (!isRecorded) await call.db.write((tx) => call.world.record(tx, call, event));
      return 'The mail server took the message.';
    },
    /** Records an event that a mail could not be delivered. */
    async afterFailure(tx, { payload, message: reason }) {
      const call = systemCall();
      const { link, stage } = payload;
      await sql`delete from flow_links where pk = ${link}`.execute(tx);
      const context = { message: message('A mail could not be sent. {reason}', { reason }), task: kindName, stage };
      await call.world.record(tx, call, { action: 'system_task_exception', app: 'svc_stages_email', context });
    },
  };
}

/** Other errors are retried: otherwise mails would be lost while the database is unavailable. */
function nullIfGone(error: unknown): null {
  if (error instanceof Problem && error.code === 'not_found') return null;
  throw error;
}

/** A recipient without an account. */
async function newcomerAt(email: string, { db, now }: Call, link: string): Promise<Recipient | null> {
  const { rows } = await sql<{ slug: string }>`select f.slug from flow_links l join flows f on f.pk = l.flow
    where l.pk = ${link} and l.expires > ${now}`.execute(db.read);
  return rows[0] ? { username: '', name: '', email, attributes: '{}', slug: rows[0].slug } : null;
}

interface StoredRecipient extends Recipient {
  readonly pk: string;
  readonly content: string;
}

/** The user of the link, unless their address is another by now than the one that the link is to confirm. */
async function recipientOf(key: InstanceKey, { db, now }: Call, link: string): Promise<Recipient | null> {
  const { rows } = await sql<StoredRecipient>`select l.pk, l.content, u.username, u.name, u.email, u.attributes, f.slug
    from flow_links l join users u on u.pk = l."user" join flows f on f.pk = l.flow
    where l.pk = ${link} and l.expires > ${now} and u.email <> ''`.execute(db.read);
  const [row] = rows;
  if (!row) return null;
  const content = contentOf(key, row);
  const { mailed_to = row.email } = 'plan' in content ? content.plan : content;
  return mailed_to === row.email ? row : null;
}

async function sendBy(mailer: Mailer, allow: Cidrs, settings: RowOf<typeof emailStage>, mail: Mail): Promise<void> {
  try {
    if (settings.use_global_settings) return await mailer.send(mail);
    await sendThrough(
      {
        host: settings.host,
        port: settings.port,
        username: settings.username,
        password: settings.password,
        useTls: settings.use_tls,
        useSsl: settings.use_ssl,
        timeoutMs: settings.timeout * 1000,
        from: settings.from_address,
      },
      mail,
      allow,
    );
  } catch (error) {
    throw mailFailure(error);
  }
}
