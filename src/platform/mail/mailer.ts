import type { Cidrs } from '../../lib/cidr.ts';
import { isLoopback } from '../config-values.ts';
import type { Mail } from './mail.ts';
import { MailError } from './mail-error.ts';
import { type SmtpServer, sendThrough } from './send-through.ts';
import { type SmtpConnection, sendBySmtp } from './smtp.ts';

/** Sends e-mail through the SMTP server of the environment, or else that of the administration. */
export interface Mailer {
  /** Whether a mail server is configured. */
  isReady(): Promise<boolean>;
  /** Resolves when the server has accepted the message; rejects with a MailError otherwise, also after `withinMs`. */
  send(mail: Mail, withinMs?: number): Promise<void>;
}

export interface MailSettings {
  readonly url: string | null;
  readonly from: string | null;
}

const timeoutMs = 15_000;
/** For mails that a request waits for: less than the time after which its connection is closed without a response. */
export const awaitedWithinMs = 45_000;

/** The mail server that administrators set, whose address must be public or allowed. */
interface StoredServer {
  find(): Promise<SmtpServer | null>;
  readonly allow: Cidrs;
}

export function createMailer({ url, from }: MailSettings, stored?: StoredServer): Mailer {
  const findStored = async () => (url === null && from === null && (await stored?.find())) || null;
  return {
    isReady: async () => (url !== null && from !== null) || (await findStored()) !== null,
    async send(mail, withinMs) {
      if (url !== null && from !== null) return sendBySmtp(serverAt(url), { from, ...mail }, withinMs);
      const server = await findStored();
      if (!stored || !server) {
        const why =
          'No e-mail can be sent: no mail server is set in the administration, nor by GATEHOUSE_SMTP_URL and GATEHOUSE_SMTP_FROM.';
        throw new MailError(why, { isFinal: true });
      }
      await sendThrough(server, mail, stored.allow, withinMs);
    },
  };
}

/** The server of the settings. */
export function serverAt(url: string): SmtpConnection {
  const { protocol, hostname, port, username, password, searchParams } = new URL(url);
  const secure = protocol === 'smtps:';
  const host = hostname.replace(/^\[|\]$/g, '');
  // An attacker on the network path could remove the STARTTLS offer and receive the password (STARTTLS stripping).
  const isGuarded = username !== '' && !isLoopback(host) && searchParams.get('starttls') !== 'optional';
  return {
    host,
    port: Number(port || (secure ? 465 : 587)),
    secure,
    requireTLS: !secure && isGuarded,
    ...(username && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    timeoutMs,
  };
}
