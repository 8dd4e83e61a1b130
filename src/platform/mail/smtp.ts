import { Socket } from 'node:net';
import type { Mail } from './mail.ts';
import { explainMailFailure, MailError } from './mail-error.ts';

/** The settings of one mail server. */
export interface SmtpConnection {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte. */
  readonly secure: boolean;
  /** STARTTLS, and nothing is sent if that fails; else it is used where the server offers it, with any certificate. */
  readonly requireTLS: boolean;
  readonly auth?: { readonly user: string; readonly pass: string };
  /** For certificates, where the host is an address. */
  readonly servername?: string;
  /** For each response. */
  readonly timeoutMs: number;
}

/** For a mail as a whole: a server that sends a line now and then is never idle, and would hold a job for ever. */
const maxMs = 120_000;

/** Resolves when the server has accepted the mail; rejects with a MailError otherwise. */
export async function sendBySmtp(
  { servername, timeoutMs, ...server }: SmtpConnection,
  mail: Mail & { readonly from: string },
  withinMs = maxMs,
): Promise<void> {
  // Loaded on first use, as many servers never send mail.
  const { createTransport } = await import('nodemailer');
  const socket = new Socket();
  const transporter = createTransport({
    ...server,
    tls: {
      ...(servername !== undefined && { servername }),
      // Opportunistic TLS, as between mail servers: without STARTTLS the mail would go unencrypted, so any certificate
      // is better.
      rejectUnauthorized: server.secure || server.requireTLS,
    },
    socket,
    disableFileAccess: true,
    disableUrlAccess: true,
    dnsTimeout: timeoutMs,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
  });
  const deadline = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => deadline.reject(new MailError('The mail server took too long to take a mail.')),
    withinMs,
  );
  try {
    const sent = transporter.sendMail({ ...mail, to: { name: '', address: mail.to } });
    await Promise.race([sent.catch(fail), deadline.promise]);
  } finally {
    clearTimeout(timer);
    socket.destroy();
    transporter.close();
  }
}

function fail(error: unknown): never {
  throw explainMailFailure(error);
}
