import type { Transporter } from 'nodemailer';

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
}

/** Sends e-mail through the SMTP server of the settings. */
export interface Mailer {
  /** Whether a mail server is configured. */
  readonly isReady: boolean;
  /** Resolves when the server has accepted the message; rejects with the reason otherwise. */
  send(mail: Mail): Promise<void>;
  close(): Promise<void>;
}

export interface MailSettings {
  readonly url: string | null;
  readonly from: string | null;
}

/** No mail server is configured: retrying is pointless. */
export class NoMailServer extends Error {}

const timeouts = { dnsTimeout: 10_000, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 15_000 };

export function createMailer({ url, from }: MailSettings): Mailer {
  let transporter: Promise<Transporter> | null = null;

  // Loaded on first use, as many servers never send mail.
  async function open(smtpUrl: string): Promise<Transporter> {
    const { createTransport } = await import('nodemailer');
    const { protocol, hostname, port, username, password } = new URL(smtpUrl);
    const isTls = protocol === 'smtps:';
    return createTransport({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port || (isTls ? 465 : 587)),
      secure: isTls,
      ...(username && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
      disableFileAccess: true,
      disableUrlAccess: true,
      ...timeouts,
    });
  }

  return {
    isReady: url !== null && from !== null,
    async send(mail) {
      if (url === null || from === null) {
        throw new NoMailServer('No e-mail can be sent: GATEHOUSE_SMTP_URL and GATEHOUSE_SMTP_FROM are not set.');
      }
      transporter ??= open(url);
      await (await transporter).sendMail({ from, ...mail, to: { name: '', address: mail.to } });
    },
    async close() {
      (await transporter)?.close();
    },
  };
}
