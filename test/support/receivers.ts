import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface WebhookReceiver {
  readonly url: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies freely
  readonly bodies: any[];
  /** What it answers; null is nothing at all. */
  status: number | null;
  close(): Promise<void>;
}

/** A real HTTP server that takes webhooks. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    receiver.bodies.push(JSON.parse(Buffer.concat(chunks).toString()));
    if (receiver.status !== null) response.writeHead(receiver.status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    bodies: [],
    status: 200,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return receiver;
}

export interface MailReceiver {
  readonly url: string;
  /** Each message as it came, with the addresses of its envelope. */
  readonly mails: { readonly to: string[]; readonly text: string }[];
  /** The code that it refuses mails with, if it does. */
  refuses: number | null;
  close(): Promise<void>;
}

/** A real SMTP server. */
export async function startMailReceiver(): Promise<MailReceiver> {
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk) => chunks.push(chunk));
      stream.on('end', () => {
        const { refuses } = receiver;
        if (refuses !== null) return done(Object.assign(new Error('not now'), { responseCode: refuses }));
        const to = session.envelope.rcptTo.map(({ address }) => address);
        receiver.mails.push({ to, text: Buffer.concat(chunks).toString() });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: MailReceiver = {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    mails: [],
    refuses: null,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return receiver;
}
